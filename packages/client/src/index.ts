export { hostprobe, type ClientOptions, type Hostprobe } from './client.js';
export type {
  ErrorCode,
  ErrorOf,
  ErrorStatus,
  ForeignError,
  PaymentRefusedError,
  ServiceError,
  UnlistedError,
} from './errors.js';
export type { components, operations, paths } from './openapi.js';
