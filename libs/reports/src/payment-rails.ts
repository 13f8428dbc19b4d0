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
  /** Time of the callability probe that filled this, or null when none was made. */
  checkedAt: time.nullable(),
  rails: z.array(PaymentRail),
});
export type PaymentRails = DeepReadonly<z.infer<typeof PaymentRails>>;

/** Most rails in a report. */
const MAX_RAILS = 50;

/**
 * The ways a host can be paid, one rail for each (behaviour 6.2). Manifests and OpenAPI prices make no rail (behaviour 6.1).
 */
export function paymentRails(seen: HostEvidence): PaymentRails {
  const rails = mergeRails(offeredRails(seen)).slice(0, MAX_RAILS);
  return { payable: rails.some(isPayable), checkedAt: lastCallability(seen), rails };
}

/**
 * One rail per option of each live challenge in the evidence, in the order observed: what the history compares, since
 * which routes answer a probe varies. Two with the same terms at the same place are one, also when a page quotes them twice.
 */
export function offeredRails(seen: HostEvidence): readonly PaymentRail[] {
  return rivals(liveOptions(seen).map(railOf), 'option').map(({ best: [first, ...others] }) => ({
    ...first,
    clients: mergeClients([first, ...others].map(({ clients }) => clients)),
  }));
}

/**
 * One rail for each way to pay (protocol, scheme or method and intent, network, asset, recipient), however many routes
 * offer it (behaviour 6.2): `amount` and `resource` are the cheapest, `maxAmount` the dearest, `resources` says how many
 * there are. Options that pass every check stand for those that do not. In the order in which the ways were first seen.
 */
export function mergeRails(rails: readonly PaymentRail[]): readonly PaymentRail[] {
  return rivals(rails, 'way').map(({ best, all }) => {
    const routes = best.toSorted(byPrice);
    return railWith((name) => (RAIL_MEMBERS[name].merged ? RAIL_MEMBERS[name].merged(routes, all) : routes[0]?.[name]));
  });
}

/** Rails that are not distinct, and the best of them: those that pass every check, if any does. */
function rivals(rails: readonly PaymentRail[], distinction: Distinction) {
  return [...grouped(rails, (rail) => railKey(rail, distinction)).values()].map((all) => {
    const [first, ...others] = all.filter(isPayable);
    return { all, best: first ? ([first, ...others] as const) : all };
  });
}

/** End of the callability probe, or null when the evidence is of a presence probe only. */
function lastCallability(seen: HostEvidence): string | null {
  const times = seen.exchanges.filter(({ phase }) => phase === 'callability').map(({ observedAt }) => observedAt);
  return times.sort().at(-1) ?? null;
}

const NAMES = Object.keys(RAIL_MEMBERS) as readonly (keyof PaymentRail)[];
const READ_FIRST = ['protocol', 'payTo', 'resource', 'resources', 'asset'] as const;

/** What there is to say of a rail, in the order in which people read it. */
export function railFacts(rail: PaymentRail): readonly (Omit<RailFact, 'of'> & { readonly text: string })[] {
  return [...new Set([...READ_FIRST, ...NAMES])].flatMap((name) =>
    (RAIL_MEMBERS[name].facts ?? []).flatMap(({ of, ...fact }) => {
      const text = of ? of(rail) : rail[name];
      return typeof text === 'string' && text !== '' ? [{ ...fact, text }] : [];
    }),
  );
}

/** The columns of a table of rails. */
export const RAIL_COLUMNS = NAMES.flatMap((name) => {
  const { column } = RAIL_MEMBERS[name];
  const type = PaymentRail.shape[name] instanceof z.ZodBoolean ? ('BOOLEAN' as const) : ('STRING' as const);
  const of = column?.of ?? ((rail: PaymentRail) => rail[name] as string | boolean | null);
  return column ? [{ name: snakeCase(name), type, ...column, of }] : [];
});

const MAX_TEXT = 2_048;

/** The rail of an option, each text of the host bounded and visible, as a report may show it. */
function railOf(option: LiveOption): PaymentRail {
  const rail: PaymentRail = { ...option, maxAmount: option.amount, resources: 1 };
  return railWith((name) => (typeof rail[name] === 'string' ? visible(rail[name], MAX_TEXT) : rail[name]));
}

function railWith(valueOf: (name: keyof PaymentRail) => unknown): PaymentRail {
  return defined(Object.fromEntries(NAMES.map((name) => [name, valueOf(name)]))) as unknown as PaymentRail;
}

/** The same text for rails that are not distinct. */
export function railKey(rail: PaymentRail, distinction: Distinction): string {
  return JSON.stringify(membersWith(rail, ({ distinct }) => distinct?.includes(distinction)));
}

/** What the history remembers of a price, or the part that decides whether it changed. */
export function priceOf(rail: PaymentRail, part?: 'decides'): JsonObject {
  return membersWith(rail, ({ price }) => (part ? price === part : price));
}

function membersWith(rail: PaymentRail, has: (member: RailMember) => unknown): JsonObject {
  const names = NAMES.filter((name) => has(RAIL_MEMBERS[name]));
  return Object.fromEntries(names.map((name) => [name, comparableAddress(rail[name])]));
}
