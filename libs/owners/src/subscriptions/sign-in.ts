import { randomBytes } from 'node:crypto';
import type { EVMMessageVerifier, SIWxExtension, SIWxPayload } from '@x402/extensions/sign-in-with-x';

/** The validity of a signed message in seconds. Its nonce must be remembered at least as long. */
export const SIGN_IN_VALIDITY_SEC = 300;

/** Invitations are backdated by this much, because the gateway that reads one may have a slower clock. */
const CLOCKS_APART_MS = 10_000;

/** A header with every optional field has about 1,000 characters. */
const MAX_HEADER_CHARS = 4_096;
const MAX_NONCE_CHARS = 128;

/** The library is loaded with the first wallet that signs in. */
const siwx = () => import('./siwx.js');

/** The signer, or what is wrong with the message; the sentence is for the caller. */
export type SignInReading =
  | { readonly ok: true; readonly address: string; readonly nonce: string }
  | { readonly ok: false; readonly reason: string; readonly error: string };

/**
 * The message for a wallet to sign, as in the extension `sign-in-with-x` (CAIP-122,
 * https://github.com/x402-foundation/x402, specs/extensions/sign-in-with-x.md).
 * @param resource absolute URL of the request to sign for
 */
export async function signInInvitation(resource: string, network: string, now: Date): Promise<SIWxExtension> {
  const { buildSIWxSchema } = await siwx();
  const issued = now.getTime() - CLOCKS_APART_MS;
  return {
    info: {
      domain: new URL(resource).host,
      uri: resource,
      statement: 'Sign in to use your subscription.',
      version: '1',
      nonce: randomBytes(16).toString('hex'),
      issuedAt: new Date(issued).toISOString(),
      expirationTime: new Date(issued + SIGN_IN_VALIDITY_SEC * 1_000).toISOString(),
    },
    supportedChains: [
      { chainId: network, type: 'eip191' },
      { chainId: network, type: 'eip191', signatureScheme: 'eip1271' },
    ],
    schema: buildSIWxSchema(),
  };
}

/** Whether a contract accepts a signature of a hash (EIP-1271). Addresses in lower case. */
export type ContractVerifier = (address: string, hash: string, signature: string) => Promise<boolean>;

/**
 * Reads a `SIGN-IN-WITH-X` header: a message for this origin, signed at most five minutes ago by an EVM account or a
 * contract wallet. The caller must check that its nonce is new. An account's signature is verified without the chain.
 * @param ofContract called if the account's key did not make the signature
 */
export async function readSignIn(
  header: string,
  baseUrl: string,
  ofContract: ContractVerifier,
): Promise<SignInReading> {
  const message = await parse(header);
  if (!message) return refused('malformed', 'the SIGN-IN-WITH-X header must be a signed message in base64');
  if (!message.chainId.startsWith('eip155:')) return refused('unsupported_chain', 'sign in with an EVM account');
  const { validateSIWxMessage, verifySIWxSignature } = await siwx();
  const valid = await validateSIWxMessage(message, new URL(baseUrl), { maxAge: SIGN_IN_VALIDITY_SEC * 1_000 });
  if (!valid.isValid) {
    const reason = valid.invalidReason.replace(/^invalid_siwx_/, '');
    return refused(reason, `the signed message is not valid: ${reason.replaceAll('_', ' ')}`);
  }
  const { hashMessage, verifyEVMSignature } = await siwx();
  const evmVerifier: EVMMessageVerifier = async ({ address, message: text, signature }) =>
    (await verifyEVMSignature(text, address, signature)) ||
    ofContract(address.toLowerCase(), hashMessage(text), signature);
  const signature = await verifySIWxSignature(message, { evmVerifier }).catch(() => undefined);
  if (!signature?.isValid) return refused('signature', 'the signature was not made by the address in the message');
  return { ok: true, address: signature.payer.toLowerCase(), nonce: message.nonce };
}

function refused(reason: string, error: string): SignInReading {
  return { ok: false, reason, error };
}

/** The SDK throws for any invalid input, with messages that quote it. */
async function parse(header: string): Promise<SIWxPayload | undefined> {
  if (header.length > MAX_HEADER_CHARS) return undefined;
  const { parseSIWxHeader } = await siwx();
  try {
    const message = parseSIWxHeader(header);
    return message.nonce.length > MAX_NONCE_CHARS ? undefined : message;
  } catch {
    return undefined;
  }
}
