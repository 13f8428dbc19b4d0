// Re-exports the parts of a large library that we use, so that they can be loaded separately.
export {
  buildSIWxSchema,
  parseSIWxHeader,
  validateSIWxMessage,
  verifyEVMSignature,
  verifySIWxSignature,
} from '@x402/extensions/sign-in-with-x';
export { hashMessage } from 'viem';
