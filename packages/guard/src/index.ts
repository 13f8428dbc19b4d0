export { guard, type AxiosLike, type Fetch, type Guard, type HookContext } from './guard.js';
export type { GuardOptions, Policy, StatementOptions, Warning } from './options.js';
export type { Payment } from './payment.js';
export {
  isPaymentRefused,
  isUnbacked,
  PaymentRefused,
  REFUSALS,
  type RefusedCode,
  type RefusedDetail,
} from './payment-refused.js';
export {
  BundleError,
  verifyBundle,
  verifyEvidence,
  type BundleBody,
  type BundleFault,
  type VerifiedBundle,
} from './verify-bundle.js';
export {
  StatementError,
  verifySigned,
  verifyStatement,
  type Expected,
  type KeySet,
  type StatedRail,
  type StatementMembers,
  type StatementFault,
} from './verify-statement.js';
