export { DIRECTORY_PATH, ProberIdentity } from './prober-identity';
export { PRODUCT_TOKEN, PROBER_PATH, userAgentOf } from './user-agent';
