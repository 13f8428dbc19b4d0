import {
  DETECTORS,
  isObject,
  list,
  accountIn,
  member,
  namedPayees,
  text,
  x402Challenges,
  type Detector,
  x402ManifestReadings,
  type HostEvidence,
  type Inquiry,
  type JsonObject,
  type JsonValue,
  type Reading,
} from '@app/detectors';
import { isEvmAddress } from '@app/networks';
import { defined, type DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time, url } from './answer-schema';
import { offeredRails } from './payment-rails';

/** Source and time of a statement about a recipient. */
const Source = z.object({
  /** The kind of place that names the recipient. */
  kind: z.enum([
    'signed_offer',
    'ownership_proof',
    'live_challenge',
    'did_web',
    'x402_manifest',
    'openapi',
    'agent_card',
    'ucp_profile',
  ]),
  url,
  observedAt: time,
});
type Source = DeepReadonly<z.infer<typeof Source>>;
export type PayToKind = Source['kind'];

/** A place where the domain names an address. */
export const PayToStatement = Source.extend({
  address: z.string(),
  /** CAIP-2, or null if the place does not name a network. */
  network: z.string().nullable(),
  /** Whether it asks for payments there, rather than only mentioning a wallet. */
  asks: z.boolean(),
});
export type PayToStatement = DeepReadonly<z.infer<typeof PayToStatement>>;

/** A signed offer of the `offer-receipt` extension as served, not yet verified. */
export interface OfferClaim extends Source {
  readonly offer: JsonObject;
}

/** A wallet's signature over the origin, not yet verified. */
export interface OwnershipClaim extends Source {
  readonly signature: string;
  /** The texts that may have been signed. */
  readonly origins: readonly string[];
}

export interface PayToClaims {
  readonly addresses: readonly PayToStatement[];
  readonly offers: readonly OfferClaim[];
  readonly ownership: readonly OwnershipClaim[];
  /** The keys in the domain's did:web document, by full id. */
  readonly didKeys: ReadonlyMap<string, JsonObject>;
}

/** Documents that may name addresses, other than x402 manifests, by kind. */
const DOCUMENTS = [
  ['openapi', '/openapi.json'],
  ['openapi', '/.well-known/openapi.json'],
  ['agent_card', '/.well-known/agent-card.json'],
  ['agent_card', '/.well-known/agent.json'],
  ['ucp_profile', '/.well-known/ucp'],
] as const satisfies readonly (readonly [PayToKind, string])[];

/** The document of `did:web:<domain>` (https://w3c-ccg.github.io/did-method-web/). */
const DID_DOCUMENT = '/.well-known/did.json';

/**
 * Paid routes are called, because only a live challenge names the recipient that a host really asks for; other
 * documents are only read.
 */
const [CALLED, READ] = [
  ['x402', 'mpp', 'openapi'],
  ['ucp', 'a2a'],
];
const detectorsOf = (ids: readonly string[]): readonly Detector[] => DETECTORS.filter(({ id }) => ids.includes(id));

/** The requests of a recipient check. */
export const WHO_IS_PAID: readonly Inquiry[] = [
  { probes: [{ method: 'GET', url: DID_DOCUMENT, accept: 'application/did+json, application/json;q=0.9' }] },
  ...detectorsOf(CALLED),
  ...detectorsOf(READ).map(({ probes, followUps }) => defined({ probes, followUps })),
];

const MAX_ADDRESSES = 200;
const MAX_SIGNATURES = 20;

/** All claims about the recipient in the evidence, not yet verified. */
export function payToClaims(seen: HostEvidence): PayToClaims {
  const documents = [
    ...x402ManifestReadings(seen).flatMap((reading) => documentIn(reading, 'x402_manifest')),
    ...DOCUMENTS.flatMap(([kind, path]) => documentIn(seen.read(path), kind)),
  ];
  const did = documentIn(seen.read(DID_DOCUMENT), 'did_web').filter(({ value }) => isDidOf(seen.domain, value));
  return {
    addresses: [
      ...liveClaims(seen),
      ...did.flatMap(didClaims),
      ...documents.flatMap(({ value, ...source }) => namedPayees(value).map((named) => ({ ...source, ...named }))),
    ].slice(0, MAX_ADDRESSES),
    offers: offerClaims(seen).slice(0, MAX_SIGNATURES),
    ownership: documents.flatMap((document) => ownershipClaims(seen, document)).slice(0, MAX_SIGNATURES),
    didKeys: new Map(did.flatMap(({ value }) => keysOf(seen.domain, value))),
  };
}

type Document = Source & { readonly value: JsonValue };

function documentIn(reading: Reading, kind: PayToKind): readonly Document[] {
  if (reading.kind !== 'json' || !isSecure(reading.answer.finalUrl)) return [];
  const { finalUrl: url, observedAt } = reading.answer;
  return [{ kind, url, observedAt, value: reading.value }];
}

/** Documents from plain HTTP may have been changed in transit, so they do not count. */
function isSecure(url: string): boolean {
  return url.startsWith('https://');
}

function liveClaims(seen: HostEvidence): readonly PayToStatement[] {
  return offeredRails(seen).flatMap(({ payTo, network, resource: url, observedAt }) =>
    payTo !== null && isEvmAddress(payTo) && isSecure(url)
      ? [{ kind: 'live_challenge', address: payTo, network, asks: true, url, observedAt } as const]
      : [],
  );
}

/** Signed offers are in `extensions["offer-receipt"].info.offers` of a challenge (x402 extension, v0.6). */
function offerClaims(seen: HostEvidence): readonly OfferClaim[] {
  return x402Challenges(seen)
    .filter(({ answer }) => isSecure(answer.finalUrl))
    .flatMap(({ answer, extensions }) => {
      const offers = list(member(member(member(extensions, 'offer-receipt'), 'info'), 'offers')) ?? [];
      const source = { kind: 'signed_offer', url: answer.finalUrl, observedAt: answer.observedAt } as const;
      return offers.filter(isObject).map((offer) => ({ ...source, offer }));
    });
}

/**
 * Signatures over the origin, `https://host` without a slash (x402scan), in the manifest or in OpenAPI's `x-discovery`.
 */
function ownershipClaims(seen: HostEvidence, { kind, value, ...source }: Document): readonly OwnershipClaim[] {
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

/** Accounts in the DID document: CAIP-10 in `blockchainAccountId`, or a did:pkh in `alsoKnownAs`. */
function didClaims({ value, ...source }: Document): readonly PayToStatement[] {
  const methods = list(member(value, 'verificationMethod')) ?? [];
  const accounts = methods.map((method) => text(member(method, 'blockchainAccountId')));
  const aliases = (list(member(value, 'alsoKnownAs')) ?? []).map((alias) => text(alias)?.replace(/^did:pkh:/, ''));
  return [...accounts, ...aliases]
    .flatMap((account) => (account === undefined ? [] : accountIn(account)))
    .map((account) => ({ ...source, ...account, asks: false }));
}

function keysOf(domain: string, document: JsonValue): readonly (readonly [string, JsonObject])[] {
  return (list(member(document, 'verificationMethod')) ?? []).flatMap((method) => {
    const [id, jwk] = [text(member(method, 'id')), member(method, 'publicKeyJwk')];
    if (id === undefined || !isObject(jwk)) return [];
    return [[id.startsWith('#') ? `did:web:${domain}${id}` : id, jwk] as const];
  });
}
