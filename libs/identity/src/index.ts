export { DIRECTORY_PATH, ProberIdentity } from './prober-identity';
export { checkSigningKeys, newSigningKey, ONE_KEY, readSigningKey } from './signing-key';
export { PRODUCT_TOKEN, PROBER_PATH, userAgentOf } from './user-agent';
