export { offlineSignatures } from './offline-signatures';
