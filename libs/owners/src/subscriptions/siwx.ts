// What is used of a large library, apart from what always is.
export {
  buildSIWxSchema,
  parseSIWxHeader,
  validateSIWxMessage,
  verifyEVMSignature,
  verifySIWxSignature,
} from '@x402/extensions/sign-in-with-x';
export { hashMessage } from 'viem';
