export { DIRECTORY_PATH, ProberIdentity } from './prober-identity';
export { newSigningKey, readSigningKey } from './signing-key';
export { PRODUCT_TOKEN, PROBER_PATH, userAgentOf } from './user-agent';
