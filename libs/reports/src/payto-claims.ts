import {
  caip2OfV1Name,
  isEvmAddress,
  isObject,
  list,
  member,
  text,
  x402Challenges,
  type HostEvidence,
  type JsonObject,
  type JsonValue,
} from '@app/detectors';
import { paymentRails } from './payment-rails';

/** What kind of place said whom to pay. */
export type PayToKind =
  | 'signed_offer'
  | 'ownership_proof'
  | 'live_challenge'
  | 'did_web'
  | 'x402_manifest'
  | 'openapi'
  | 'agent_card'
  | 'ucp_profile';

/** Where something was said, and when it was seen. */
interface Source {
  readonly kind: PayToKind;
  readonly url: string;
  readonly observedAt: string;
}

/** A place where the domain names an address. */
export interface PayToStatement extends Source {
  readonly address: string;
  /** CAIP-2, or null when the place names none. */
  readonly network: string | null;
  /** It asks to be paid there; a wallet that is merely mentioned does not. */
  readonly asks: boolean;
}

/** A signed offer of the `offer-receipt` extension as served, not verified yet. */
export interface OfferClaim extends Source {
  readonly offer: JsonObject;
}

/** A wallet's signature over the origin, not verified yet. */
export interface ProofClaim extends Source {
  readonly signature: string;
  /** Texts it may have been made over. */
  readonly origins: readonly string[];
}

export interface PayToClaims {
  readonly addresses: readonly PayToStatement[];
  readonly offers: readonly OfferClaim[];
  readonly proofs: readonly ProofClaim[];
  /** Keys of the domain's did:web document by their full id. */
  readonly didKeys: ReadonlyMap<string, JsonObject>;
}

/** Documents in which domains name addresses, by what they are. */
const DOCUMENTS = [
  ['x402_manifest', '/.well-known/x402'],
  ['x402_manifest', '/.well-known/x402.json'],
  ['openapi', '/openapi.json'],
  ['openapi', '/.well-known/openapi.json'],
  ['agent_card', '/.well-known/agent-card.json'],
  ['agent_card', '/.well-known/agent.json'],
  ['ucp_profile', '/.well-known/ucp'],
] as const satisfies readonly (readonly [PayToKind, string])[];

/** The document of `did:web:<domain>` (https://w3c-ccg.github.io/did-method-web/). */
export const DID_DOCUMENT = '/.well-known/did.json';

const MAX_ADDRESSES = 200;
const MAX_SIGNATURES = 20;

/** Members that ask for payment, and members that only name a wallet. */
const ASKING = /^(?:pay_?to(?:_?address)?|payee|recipient|payment_?address|payout_?address)$/i;
const NAMING = /^(?:wallets?|wallet_?address|address|accounts?|evm|evm_?address)$/i;

/** Everything the evidence says about who is to be paid: claims, none of them believed yet. */
export function payToClaims(seen: HostEvidence): PayToClaims {
  const documents = DOCUMENTS.flatMap(([kind, path]) => documentAt(seen, kind, path));
  const did = documentAt(seen, 'did_web', DID_DOCUMENT).filter(({ value }) => isDidOf(seen.domain, value));
  return {
    addresses: [
      ...liveClaims(seen),
      ...did.flatMap(didClaims),
      ...documents.flatMap(({ value, ...source }) => namedIn(value).map((named) => ({ ...source, ...named }))),
    ].slice(0, MAX_ADDRESSES),
    offers: offerClaims(seen).slice(0, MAX_SIGNATURES),
    proofs: documents.flatMap((document) => proofClaims(seen, document)).slice(0, MAX_SIGNATURES),
    didKeys: new Map(did.flatMap(({ value }) => keysOf(seen.domain, value))),
  };
}

type Document = Source & { readonly value: JsonValue };

function documentAt(seen: HostEvidence, kind: PayToKind, path: string): readonly Document[] {
  const reading = seen.read(path);
  if (reading.kind !== 'json' || !isSecure(reading.answer.finalUrl)) return [];
  const { finalUrl: url, observedAt } = reading.answer;
  return [{ kind, url, observedAt, value: reading.value }];
}

/** What plain http says anybody on the way may have said. */
function isSecure(url: string): boolean {
  return url.startsWith('https://');
}

function liveClaims(seen: HostEvidence): readonly PayToStatement[] {
  return paymentRails(seen).rails.flatMap(({ payTo, network, resource: url, observedAt }) =>
    payTo !== null && isEvmAddress(payTo) && isSecure(url)
      ? [{ kind: 'live_challenge', address: payTo, network, asks: true, url, observedAt } as const]
      : [],
  );
}

/** Signed offers stand in `extensions["offer-receipt"].info.offers` of a challenge (x402 extension, v0.6). */
function offerClaims(seen: HostEvidence): readonly OfferClaim[] {
  return x402Challenges(seen)
    .filter(({ answer }) => isSecure(answer.finalUrl))
    .flatMap(({ answer, extensions }) => {
      const offers = list(member(member(member(extensions, 'offer-receipt'), 'info'), 'offers')) ?? [];
      const source = { kind: 'signed_offer', url: answer.finalUrl, observedAt: answer.observedAt } as const;
      return offers.filter(isObject).map((offer) => ({ ...source, offer }));
    });
}

/** Signatures over the origin, `https://host` without a slash (x402scan): in the manifest, or in OpenAPI's `x-discovery`. */
function proofClaims(seen: HostEvidence, { kind, value, ...source }: Document): readonly ProofClaim[] {
  const holder = kind === 'openapi' ? member(value, 'x-discovery') : value;
  const origins = [...new Set([seen.origin, new URL(source.url).origin])];
  return (list(member(holder, 'ownershipProofs')) ?? [])
    .map((item) => text(item) ?? text(member(item, 'signature')) ?? text(member(item, 'proof')))
    .filter((signature) => signature !== undefined)
    .map((signature) => ({ ...source, kind: 'ownership_proof', signature, origins }));
}

function isDidOf(domain: string, document: JsonValue): boolean {
  return member(document, 'id') === `did:web:${domain}`;
}

/** Accounts of the DID document: CAIP-10 in `blockchainAccountId`, or a did:pkh it is also known as. */
function didClaims({ value, ...source }: Document): readonly PayToStatement[] {
  const methods = list(member(value, 'verificationMethod')) ?? [];
  const accounts = methods.map((method) => text(member(method, 'blockchainAccountId')));
  const aliases = (list(member(value, 'alsoKnownAs')) ?? []).map((alias) => text(alias)?.replace(/^did:pkh:/, ''));
  return [...accounts, ...aliases]
    .flatMap((account) => (account === undefined ? [] : addressIn(account)))
    .map((account) => ({ ...source, ...account, asks: false }));
}

function keysOf(domain: string, document: JsonValue): readonly (readonly [string, JsonObject])[] {
  return (list(member(document, 'verificationMethod')) ?? []).flatMap((method) => {
    const [id, jwk] = [text(member(method, 'id')), member(method, 'publicKeyJwk')];
    if (id === undefined || !isObject(jwk)) return [];
    return [[id.startsWith('#') ? `did:web:${domain}${id}` : id, jwk] as const];
  });
}

type Named = Pick<PayToStatement, 'address' | 'network' | 'asks'>;

/** Addresses under members whose name says what they are; the depth and size of the document are bounded by the reader. */
function namedIn(value: JsonValue, network: string | null = null): readonly Named[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap((item) => namedIn(item, network));
  if (!isObject(value)) return [];
  const own = networkOf(text(member(value, 'network')) ?? text(member(value, 'chain'))) ?? network;
  return Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const asks = ASKING.test(name);
    if (!asks && !NAMING.test(name)) return namedIn(item, own);
    return [...leaves(item, own).map((leaf) => ({ ...leaf, asks })), ...namedIn(item, own)];
  });
}

/** A text, a list of texts, or texts by network. */
function leaves(value: JsonValue, network: string | null): readonly Omit<Named, 'asks'>[] {
  if (typeof value === 'string') return addressIn(value, network);
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((item) =>
      typeof item === 'string' ? addressIn(item, network) : [],
    );
  }
  return isObject(value)
    ? Object.entries(value).flatMap(([name, item]) => {
        const named = networkOf(name);
        return named !== null && typeof item === 'string' ? addressIn(item, named) : [];
      })
    : [];
}

/** An EVM address, alone or as CAIP-10 (https://chainagnostic.org/CAIPs/caip-10). */
function addressIn(stated: string, network: string | null = null): readonly Omit<Named, 'asks'>[] {
  const [, chain, address = ''] = /^(?:(eip155:\d{1,20}):)?(0x[0-9a-fA-F]{40})$/.exec(stated.trim()) ?? [];
  return isEvmAddress(address) ? [{ address, network: chain ?? network }] : [];
}

function networkOf(stated: string | undefined): string | null {
  if (stated === undefined) return null;
  return caip2OfV1Name(stated) ?? (/^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(stated) ? stated : null);
}
