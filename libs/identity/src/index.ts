export { ProberIdentity, DIRECTORY_PATH, type KeyDirectory } from './prober-identity';
export { newSigningKey, readSigningKey } from './signing-key';
