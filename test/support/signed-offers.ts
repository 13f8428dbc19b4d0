import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createOfferEIP712, createOfferJWS } from '@x402/extensions/offer-receipt';
import type { PrivateKeyAccount } from 'viem/accounts';
import { BASE_USDC, challengeV2, type Members } from './challenges';

const input = (payTo: string, offerValiditySeconds: number) => ({
  acceptIndex: 0,
  scheme: 'exact',
  network: 'eip155:8453',
  asset: BASE_USDC,
  payTo,
  amount: '20000',
  offerValiditySeconds,
});

/** Long enough for any test clock. */
const YEARS = 10 * 365 * 86_400;

/** An offer signed by a wallet (EIP-712) with the given `payTo`, by default the wallet itself. */
export async function typedOffer(
  account: PrivateKeyAccount,
  resource: string,
  { payTo = account.address, validSeconds = YEARS }: { payTo?: string; validSeconds?: number } = {},
): Promise<Members> {
  const offer = await createOfferEIP712(resource, input(payTo, validSeconds), (typed) => account.signTypedData(typed));
  return { ...offer };
}

/** A domain's signing key: its id, and the verification method that publishes it. */
export interface DomainKey {
  readonly kid: string;
  readonly method: Members;
  readonly privateKey: KeyObject;
}

export function domainKey(domain: string, kid = `did:web:${domain}#key-1`): DomainKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' });
  const method = { id: kid, type: 'JsonWebKey2020', controller: `did:web:${domain}`, publicKeyJwk: { ...jwk } };
  return { kid, method, privateKey };
}

/** An offer signed by a domain's key (JWS). */
export async function jwsOffer(key: DomainKey, resource: string, payTo: string): Promise<Members> {
  const offer = await createOfferJWS(resource, input(payTo, YEARS), {
    kid: key.kid,
    format: 'jws',
    algorithm: 'EdDSA',
    sign: (bytes) => Promise.resolve(sign(null, bytes, key.privateKey).toString('base64url')),
  });
  return { ...offer };
}

/** A V2 challenge with signed offers. */
export const withOffers = (offers: readonly Members[], accepts?: readonly Members[]): Members =>
  challengeV2(accepts, { extensions: { 'offer-receipt': { info: { offers } } } });
