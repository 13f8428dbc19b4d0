import { defined } from '@app/platform';
import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { isDate, readEntries, type Entry } from '../ucp/profile';
import { parentsOf } from '../ucp/profile-findings';
import type { Declaration } from './declaration';

/**
 * The mandate capability, under its name in releases up to 2026-04-08 or its newer name (behaviour 5.3: both count);
 * https://ucp.dev/latest/specification/ap2-mandates/.
 */
const MANDATE = /^dev\.ucp\.(?:shopping|common\.payment)\.ap2_mandates?$/;

const CHECKOUT = 'dev.ucp.shopping.checkout';

/** The algorithms for signing mandates. */
const SIGNING_ALGS = ['ES256', 'ES384', 'ES512'];

/** The AP2 declarations of a UCP profile: the mandate capability, or a payment handler with that name. */
export function declarationsOfProfile(document: JsonValue): readonly Declaration[] {
  const envelope = member(document, 'ucp');
  const nested = isObject(envelope);
  // Copies of fragments from older documentation have the capabilities at the top level.
  const holder = nested ? envelope : isObject(document) ? document : undefined;
  if (!holder || !isObject(document)) return [];
  const base = nested ? 'ucp.' : '';
  const capabilities = readEntries(member(holder, 'capabilities'), `${base}capabilities`).entries;
  const handlers = readEntries(member(holder, 'payment_handlers'), `${base}payment_handlers`).entries;
  const names = new Set(capabilities.map(({ name }) => name));
  const outside = nested ? [] : [{ id: 'capabilities_outside_ucp', at: 'capabilities' }];
  return [...capabilities, ...handlers]
    .filter(({ name }) => MANDATE.test(name))
    .map((entry) => judgeEntry(entry, { names, document, version: member(envelope, 'version'), outside }));
}

/** Names of payment handlers that refer to the AP2 specification: a hint, but not a declaration. */
export function handlerHintsOf(document: JsonValue): readonly string[] {
  const handlers = member(member(document, 'ucp'), 'payment_handlers');
  return readEntries(handlers, 'ucp.payment_handlers')
    .entries.filter(({ members }) =>
      /^https?:\/\/(?:www\.)?ap2-protocol\.org(?:[/:]|$)/i.test(text(members['spec']) ?? ''),
    )
    .map(({ name }) => name);
}

interface Surroundings {
  readonly names: ReadonlySet<string>;
  readonly document: JsonObject;
  readonly version: JsonValue | undefined;
  readonly outside: readonly Finding[];
}

function judgeEntry(entry: Entry, { names, document, version, outside }: Surroundings): Declaration {
  const note = entryFault(entry, names, version);
  return {
    status: note === undefined ? 'present' : 'partial',
    source: 'ucp',
    id: entry.name,
    version: text(member(entry.members, 'version')) ?? null,
    ...defined({ note }),
    details: { capability: entry.name, vpFormats: formatsOf(entry), canBePaid: true },
    findings: [...outside, ...formatFindings(entry), ...keyFindings(document)],
  };
}

/** Negotiation drops an extension whose parent is not offered, so a mandate without checkout has no effect. */
function entryFault(
  { members, name }: Entry,
  names: ReadonlySet<string>,
  version: JsonValue | undefined,
): string | undefined {
  if (version !== undefined && !isDate(text(version) ?? '')) return 'version_not_a_date';
  const parents = parentsOf(members);
  if (parents.length === 0) return 'capability_without_extends';
  if (name.startsWith('dev.ucp.shopping.') && !names.has(CHECKOUT)) return 'checkout_not_declared';
  return parents.some((parent) => names.has(parent)) ? undefined : 'checkout_not_declared';
}

function formatsOf({ members }: Entry): readonly string[] {
  const formats = member(member(members, 'config'), 'vp_formats_supported');
  return isObject(formats) ? Object.keys(formats) : [];
}

function formatFindings(entry: Entry): readonly Finding[] {
  const at = `${entry.at}.config.vp_formats_supported`;
  return findingsWhere([[formatsOf(entry).length === 0, 'no_vp_formats', at]]);
}

/** Merchants sign mandates, so they cannot be verified without a published key. */
function keyFindings(document: JsonObject): readonly Finding[] {
  const keys = list(member(document, 'keys')) ?? list(member(document, 'signing_keys')) ?? [];
  if (keys.length === 0) return [{ id: 'no_signing_keys', at: 'keys' }];
  const usable = keys.some((key) => {
    const alg = text(member(key, 'alg'));
    return alg === undefined ? text(member(key, 'kty')) === 'EC' : SIGNING_ALGS.includes(alg);
  });
  return usable ? [] : [{ id: 'no_usable_signing_key', at: 'keys' }];
}
