import {
  isObject,
  member,
  mpp,
  parseUrl,
  readEncodedJson,
  readJson,
  runDetector,
  text,
  x402,
  type HostEvidence,
  type JsonObject,
} from '@app/detectors';
import { isEvmAddress } from '@app/networks';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { url, word } from './answer-schema';
import { payToClaims, PayToStatement, type OfferClaim, type PayToClaims, type OwnershipClaim } from './payto-claims';
import { reachableFrom } from './reachability';

/** Why a signature does not count. */
type Rejection =
  | 'signature_invalid'
  | 'signer_is_not_the_payee'
  | 'key_not_of_the_domain'
  | 'offer_for_another_domain'
  | 'offer_malformed'
  | 'offer_expired';

/** A signature that does not count as evidence, with the reason. */
export const RejectedSignature = z.object({
  kind: z.enum(['signed_offer', 'ownership_proof']),
  url,
  reason: word<Rejection>(),
});
export type RejectedSignature = DeepReadonly<z.infer<typeof RejectedSignature>>;

/** Port: verifies signatures. It never throws and makes no requests; an invalid signature gives undefined. */
export interface SignatureReader {
  /** The address whose key signed a text (EIP-191, `personal_sign`). */
  signerOfText(text: string, signature: string): Promise<string | undefined>;
  /** The address whose key signed the payload of an EIP-712 offer (x402 `offer-receipt`, domain "x402 offer"). */
  signerOfOffer(offer: JsonObject): Promise<string | undefined>;
  /** The payload of a compact JWS, if the key (a public JWK) signed it. */
  payloadOfJws(jws: string, jwk: JsonObject): Promise<string | undefined>;
}

/** The results of probing a domain, for every address. */
export const PayToFinding = z.object({
  reachable: z.boolean(),
  /** Whether the probe reached everything that asks for payments: manifests, and the advertised routes. */
  reached: z.boolean(),
  statements: z.array(PayToStatement),
  rejected: z.array(RejectedSignature),
});
export type PayToFinding = DeepReadonly<z.infer<typeof PayToFinding>>;

/** What a domain says about its recipients: claims as they are, and signatures if they are valid. */
export async function payToFinding(seen: HostEvidence, signatures: SignatureReader): Promise<PayToFinding> {
  const claims = payToClaims(seen);
  const offers = await Promise.all(claims.offers.map((claim) => offerStatement(claim, claims, seen, signatures)));
  const ownership = await Promise.all(claims.ownership.map((claim) => ownershipStatements(claim, signatures)));
  const verified = [...offers, ...ownership.flat()];
  return {
    reachable: reachableFrom(seen.exchanges),
    reached: [x402, mpp].every((detector) => runDetector(detector, seen).cell.details['reason'] !== 'not_reached'),
    statements: [...claims.addresses, ...verified.filter((item): item is PayToStatement => 'address' in item)],
    rejected: verified.filter((item): item is RejectedSignature => 'reason' in item),
  };
}

/**
 * Recovering a signature always gives some address, so the statement is about that address only, and counts if that
 * address is checked. It does not ask for payments.
 */
async function ownershipStatements(
  { signature, origins, ...source }: OwnershipClaim,
  signatures: SignatureReader,
): Promise<readonly (PayToStatement | RejectedSignature)[]> {
  const signers = await Promise.all(origins.map((origin) => signatures.signerOfText(origin, signature)));
  const addresses = signers.filter((signer) => signer !== undefined);
  if (addresses.length === 0) return [{ kind: 'ownership_proof', url: source.url, reason: 'signature_invalid' }];
  return addresses.map((address) => ({ ...source, address, network: null, asks: false }));
}

async function offerStatement(
  claim: OfferClaim,
  claims: PayToClaims,
  seen: HostEvidence,
  signatures: SignatureReader,
): Promise<PayToStatement | RejectedSignature> {
  const { offer, ...source } = claim;
  const reject = (reason: Rejection): RejectedSignature => ({
    kind: 'signed_offer',
    url: source.url,
    reason,
  });
  const reading =
    member(offer, 'format') === 'jws'
      ? await jwsPayload(offer, claims, signatures)
      : await typedPayload(offer, claims, signatures);
  if (typeof reading === 'string') return reject(reading);
  const [payTo, network, resource] = ['payTo', 'network', 'resourceUrl'].map((name) => text(member(reading, name)));
  if (payTo === undefined || network === undefined || resource === undefined || !isEvmAddress(payTo)) {
    return reject('offer_malformed');
  }
  if (parseUrl(resource)?.protocol !== 'https:' || !seen.sameSite(resource)) return reject('offer_for_another_domain');
  if (isOver(reading, source.observedAt)) return reject('offer_expired');
  return { ...source, address: payTo, network, asks: true };
}

/** Signed with EIP-712 by the recipient itself, or by an account in the domain's did:web document. */
async function typedPayload(
  offer: JsonObject,
  claims: PayToClaims,
  signatures: SignatureReader,
): Promise<JsonObject | Rejection> {
  const payload = member(offer, 'payload');
  if (!isObject(payload)) return 'offer_malformed';
  const signer = (await signatures.signerOfOffer(offer))?.toLowerCase();
  if (signer === undefined) return 'signature_invalid';
  const accounts = claims.addresses
    .filter(({ kind }) => kind === 'did_web')
    .map(({ address }) => address.toLowerCase());
  const trusted = [text(member(payload, 'payTo'))?.toLowerCase(), ...accounts];
  return trusted.includes(signer) ? payload : 'signer_is_not_the_payee';
}

/** Signed as JWS by a key in the domain's did:web document; its `kid` names the key. */
async function jwsPayload(
  offer: JsonObject,
  claims: PayToClaims,
  signatures: SignatureReader,
): Promise<JsonObject | Rejection> {
  const jws = text(member(offer, 'signature'));
  const header = readEncodedJson(jws?.split('.', 1)[0] ?? '');
  const kid = header.ok ? text(member(header.value, 'kid')) : undefined;
  if (jws === undefined || kid === undefined) return 'offer_malformed';
  const jwk = claims.didKeys.get(kid);
  if (!jwk) return 'key_not_of_the_domain';
  const payload = await signatures.payloadOfJws(jws, jwk);
  if (payload === undefined) return 'signature_invalid';
  const json = readJson(payload);
  return json.ok && isObject(json.value) ? json.value : 'offer_malformed';
}

/** `validUntil` in seconds; 0 or missing means that it does not expire. */
function isOver(payload: JsonObject, observedAt: string): boolean {
  const until = member(payload, 'validUntil');
  return typeof until === 'number' && until > 0 && until * 1_000 < Date.parse(observedAt);
}
