import {
  isEvmAddress,
  isObject,
  member,
  parseUrl,
  readEncodedJson,
  readJson,
  text,
  type HostEvidence,
  type JsonObject,
} from '@app/detectors';
import { payToClaims, type OfferClaim, type PayToClaims, type PayToStatement, type ProofClaim } from './payto-claims';
import { reachableFrom } from './reachability';
import type { SignatureReader } from './signature-reader';

/** A signature that proves nothing, and why; said, so that its absence from the evidence is no riddle. */
export interface RejectedProof {
  readonly kind: 'signed_offer' | 'ownership_proof';
  readonly url: string;
  readonly reason:
    | 'signature_invalid'
    | 'signer_is_not_the_payee'
    | 'key_not_of_the_domain'
    | 'offer_for_another_domain'
    | 'offer_malformed'
    | 'offer_expired';
}

/** What a look at a domain found, whatever address is asked about. */
export interface PayToFinding {
  readonly reachable: boolean;
  readonly statements: readonly PayToStatement[];
  readonly rejected: readonly RejectedProof[];
}

/** What a look at a domain says about who is to be paid: address claims as they are, signatures as far as they verify. */
export async function payToFinding(seen: HostEvidence, signatures: SignatureReader): Promise<PayToFinding> {
  const claims = payToClaims(seen);
  const offers = await Promise.all(claims.offers.map((claim) => offerStatement(claim, claims, seen, signatures)));
  const proofs = await Promise.all(claims.proofs.map((claim) => proofStatements(claim, signatures)));
  const verified = [...offers, ...proofs.flat()];
  return {
    reachable: reachableFrom(seen.exchanges),
    statements: [...claims.addresses, ...verified.filter((item): item is PayToStatement => 'address' in item)],
    rejected: verified.filter((item): item is RejectedProof => 'reason' in item),
  };
}

/**
 * Recovering a signature over some text always gives an address, so the statement is about that address and proves
 * something only for whoever asks about it. It asks nobody to pay.
 */
async function proofStatements(
  { signature, origins, ...source }: ProofClaim,
  signatures: SignatureReader,
): Promise<readonly (PayToStatement | RejectedProof)[]> {
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
): Promise<PayToStatement | RejectedProof> {
  const { offer, ...source } = claim;
  const reject = (reason: RejectedProof['reason']): RejectedProof => ({
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

/** Signed with EIP-712: by the payee itself, or by an account of the domain's did:web document. */
async function typedPayload(
  offer: JsonObject,
  claims: PayToClaims,
  signatures: SignatureReader,
): Promise<JsonObject | RejectedProof['reason']> {
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

/** Signed as JWS: by a key of the domain's did:web document, which its `kid` names. */
async function jwsPayload(
  offer: JsonObject,
  claims: PayToClaims,
  signatures: SignatureReader,
): Promise<JsonObject | RejectedProof['reason']> {
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

/** `validUntil` in seconds; 0 or missing means no end. */
function isOver(payload: JsonObject, observedAt: string): boolean {
  const until = member(payload, 'validUntil');
  return typeof until === 'number' && until > 0 && until * 1_000 < Date.parse(observedAt);
}
