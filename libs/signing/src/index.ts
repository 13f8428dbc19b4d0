export { DIRECTORY_PATH, ProberIdentity } from './identity/prober-identity';
export { checkSigningKeys, newSigningKey, ONE_KEY, readSigningKey } from './identity/signing-key';
export { PRODUCT_TOKEN, PROBER_PATH, userAgentOf } from './identity/user-agent';
export * from './statements/statement-members';
export * from './statements/hashes';
export * from './statements/key-ring';
export * from './statements/statement-jws';
export { offlineSignatures } from './signatures/offline-signatures';
