export { ProberIdentity, DIRECTORY_PATH, type IdentityOptions, type KeyDirectory } from './prober-identity';
export { PRODUCT_TOKEN, PROBER_PATH, userAgentOf } from './user-agent';
