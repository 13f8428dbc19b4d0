import { isObject, type JsonObject } from './payment.js';
import { PaymentRefused } from './payment-refused.js';
import { signersOf } from './solana-transaction.js';

const SIGNATURE_BYTES = 64;
/** The PKCS #8 prefix of the 32 bytes of an Ed25519 key. */
const PKCS8 = Uint8Array.from([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]);

/**
 * A transaction with nothing but the checked bytes, in the form that wallets expect from web3.js: all its methods
 * return these bytes. It signs by itself, so that no key is passed to code of the caller.
 */
export function transactionOf(message: Uint8Array): JsonObject {
  const signers = signersOf(message);
  const signatures = signers.map(() => new Uint8Array(SIGNATURE_BYTES));
  const serializeMessage = () => message.slice();
  const serialize = () => Uint8Array.from([signatures.length, ...signatures.flatMap((one) => [...one]), ...message]);
  const addSignature = (key: unknown, signature: Uint8Array) => {
    const at = signers.indexOf(String(key));
    if (at === -1) throw new PaymentRefused('signs_something_else', { got: 'a signature of another key' });
    signatures[at]?.set(signature);
  };
  const sign = (keypairs: unknown) => {
    for (const keypair of Array.isArray(keypairs) ? (keypairs as readonly unknown[]) : []) {
      const { publicKey, secretKey }: JsonObject = isObject(keypair) ? keypair : {};
      if (secretKey instanceof Uint8Array) addSignature(publicKey, ed25519(message, secretKey.slice(0, 32)));
    }
  };
  return Object.freeze({
    version: (message[0] ?? 0) >= 0x80 ? 0 : 'legacy',
    message: Object.freeze({ serialize: serializeMessage }),
    signatures: Object.freeze(signatures),
    serializeMessage,
    serialize,
    addSignature,
    sign,
    partialSign: (...keypairs: readonly unknown[]) => {
      sign(keypairs);
    },
  });
}

/** Wallets with a key sign synchronously, which only Node's crypto library supports. */
function ed25519(message: Uint8Array, seed: Uint8Array): Uint8Array {
  const { createPrivateKey, sign } = process.getBuiltinModule('node:crypto');
  const key = createPrivateKey({ key: Buffer.from([...PKCS8, ...seed]), format: 'der', type: 'pkcs8' });
  return sign(null, message, key);
}
