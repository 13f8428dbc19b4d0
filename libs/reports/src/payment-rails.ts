import {
  liveOptions,
  mergeClients,
  visible,
  type HostEvidence,
  type JsonObject,
  type LiveOption,
} from '@app/detectors';
import { comparableAddress } from '@app/networks';
import { defined, grouped, snakeCase, type DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time } from './answer-schema';
import {
  byPrice,
  isPayable,
  PaymentRail,
  RAIL_MEMBERS,
  type Distinction,
  type RailFact,
  type RailMember,
} from './rail-members';

export const PaymentRails = z.object({
  payable: z.boolean().describe('A live challenge was read, and at least one of its rails passes every check.'),
  /** Time of the callability probe behind this, or null if there was none. */
  checkedAt: time.nullable(),
  rails: z.array(PaymentRail),
});
export type PaymentRails = DeepReadonly<z.infer<typeof PaymentRails>>;

/** The maximum number of options in a report. */
const MAX_RAILS = 50;

/**
 * The ways to pay a host, one option ("rail") for each (behaviour 6.2). Manifests and OpenAPI prices do not count
 * (behaviour 6.1).
 */
export function paymentRails(seen: HostEvidence): PaymentRails {
  const rails = mergeRails(offeredRails(seen)).slice(0, MAX_RAILS);
  return { payable: rails.some(isPayable), checkedAt: lastCallability(seen), rails };
}

/**
 * One entry per option of each live challenge, in the observed order. The history compares these, because different
 * routes may answer each probe. Two options with the same terms at the same place count as one, even if a page quotes
 * them twice.
 */
export function offeredRails(seen: HostEvidence): readonly PaymentRail[] {
  return rivals(liveOptions(seen).map(railOf), 'option').map(({ best: [first, ...others] }) => ({
    ...first,
    clients: mergeClients([first, ...others].map(({ clients }) => clients)),
  }));
}

/**
 * One entry for each way to pay (protocol, scheme or method and intent, network, asset, recipient), however many routes
 * offer it (behaviour 6.2): `amount` and `resource` are of the cheapest, `maxAmount` of the most expensive, and
 * `resources` is their number. Options that pass every check take precedence. Ordered by first appearance.
 */
export function mergeRails(rails: readonly PaymentRail[]): readonly PaymentRail[] {
  return rivals(rails, 'way').map(({ best, all }) => {
    const routes = best.toSorted(byPrice);
    return railWith((name) => (RAIL_MEMBERS[name].merged ? RAIL_MEMBERS[name].merged(routes, all) : routes[0]?.[name]));
  });
}

/** The entries for the same way to pay, and the best of them: the entries that pass every check, if there are any. */
function rivals(rails: readonly PaymentRail[], distinction: Distinction) {
  return [...grouped(rails, (rail) => railKey(rail, distinction)).values()].map((all) => {
    const [first, ...others] = all.filter(isPayable);
    return { all, best: first ? ([first, ...others] as const) : all };
  });
}

/** End of the callability probe; null if there was only a presence probe. */
function lastCallability(seen: HostEvidence): string | null {
  const times = seen.exchanges.filter(({ phase }) => phase === 'callability').map(({ observedAt }) => observedAt);
  return times.sort().at(-1) ?? null;
}

const NAMES = Object.keys(RAIL_MEMBERS) as readonly (keyof PaymentRail)[];
const READ_FIRST = ['protocol', 'payTo', 'resource', 'resources', 'asset', 'amount'] as const;

/** A fact with the text to show. */
interface ShownFact extends Pick<RailFact, 'label' | 'said'> {
  readonly text: string;
  /** Whether people copy it. */
  readonly isId: boolean;
  /** Its page at a block explorer. */
  readonly url?: string;
}

/** The facts about an option for people, in reading order. */
export function railFacts(rail: PaymentRail): readonly ShownFact[] {
  return [...new Set([...READ_FIRST, ...NAMES])].flatMap((name) =>
    (RAIL_MEMBERS[name].facts ?? []).flatMap(({ of, link, ...fact }) => {
      const text = of ? of(rail) : rail[name];
      if (typeof text !== 'string' || text === '') return [];
      return [{ ...fact, text, isId: link !== undefined, ...defined({ url: link?.(rail) }) }];
    }),
  );
}

/** The columns of a table of options. */
export const RAIL_COLUMNS = NAMES.flatMap((name) => {
  const { column } = RAIL_MEMBERS[name];
  const type = PaymentRail.shape[name] instanceof z.ZodBoolean ? ('BOOLEAN' as const) : ('STRING' as const);
  const of = column?.of ?? ((rail: PaymentRail) => rail[name] as string | boolean | null);
  return column ? [{ name: snakeCase(name), type, ...column, of }] : [];
});

const MAX_TEXT = 2_048;

/** The entry for an option, with each text from the host limited in length and stripped of invisible characters. */
function railOf(option: LiveOption): PaymentRail {
  const rail: PaymentRail = { ...option, maxAmount: option.amount, resources: 1 };
  return railWith((name) => (typeof rail[name] === 'string' ? visible(rail[name], MAX_TEXT) : rail[name]));
}

function railWith(valueOf: (name: keyof PaymentRail) => unknown): PaymentRail {
  return defined(Object.fromEntries(NAMES.map((name) => [name, valueOf(name)]))) as unknown as PaymentRail;
}

/** A key that is equal for options that are not distinguished. */
export function railKey(rail: PaymentRail, distinction: Distinction): string {
  return JSON.stringify(membersWith(rail, ({ distinct }) => distinct?.includes(distinction)));
}

/** The price as the history remembers it, or the part of it that decides whether it changed. */
export function priceOf(rail: PaymentRail, part?: 'decides'): JsonObject {
  return membersWith(rail, ({ price }) => (part ? price === part : price));
}

function membersWith(rail: PaymentRail, has: (member: RailMember) => unknown): JsonObject {
  const names = NAMES.filter((name) => has(RAIL_MEMBERS[name]));
  return Object.fromEntries(names.map((name) => [name, comparableAddress(rail[name])]));
}
