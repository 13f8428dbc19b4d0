import { parseUrl, visible, type JsonObject, type JsonValue } from '@app/detectors';
import { defined } from '@app/platform';
import type { DriftEvent } from './drift-event';
import type { PaymentRail } from './payment-rails';

/** Rails remembered per host; a probe meets far fewer, since it calls at most five paid routes. */
const MAX_RAILS = 50;

/** What is remembered of one way to be paid. Plain JSON. */
export interface RailMemory {
  /** Protocol, scheme or method and intent, network, asset and resource: what makes two rails comparable. */
  readonly key: string;
  readonly amount: string | null;
  readonly amountUsd: string | null;
  /** Addresses in hexadecimal are lower-cased. */
  readonly payTo: string | null;
  /** Another recipient, seen in one probe so far. */
  readonly candidate?: string;
  /** The recipient is drawn for each request, as with deposit addresses: it is no longer compared. */
  readonly dynamicPayTo?: true;
  readonly seenAt: string;
}

export interface RailDrift {
  readonly memory: readonly RailMemory[];
  readonly events: readonly DriftEvent[];
}

/**
 * Compares prices, assets and recipients of rails seen before. A rail that is new, or was not met this time, is no event:
 * which routes answer a probe varies, and whether the protocol is there at all is told by its cell.
 */
export function railDrift(memory: readonly RailMemory[], rails: readonly PaymentRail[], at: string): RailDrift {
  const known = new Map(memory.map((rail) => [rail.key, rail]));
  const options = comparable(rails);
  const events: DriftEvent[] = [...assetChanges(memory, options, at)];
  for (const [key, rail] of options) {
    const before = known.get(key);
    // A probe recorded twice is one probe: a recipient must not confirm itself.
    if (before && before.seenAt >= at) continue;
    if (before) events.push(...priceChange(before, rail, at), ...payToChange(before, rail, at));
    known.set(key, remembered(key, before, rail, at));
  }
  const latest = [...known.values()].sort((a, b) => (a.seenAt < b.seenAt ? 1 : a.seenAt > b.seenAt ? -1 : 0));
  return { memory: latest.slice(0, MAX_RAILS), events: withoutRepeats(events) };
}

/** One rail per key, the cheapest: hosts list several options of one kind, in any order. */
function comparable(rails: readonly PaymentRail[]): ReadonlyMap<string, PaymentRail> {
  const sorted = rails
    .map((rail) => ({ rail, key: keyOf(rail), order: orderOf(rail) }))
    .sort((a, b) => (a.order < b.order ? 1 : a.order > b.order ? -1 : 0));
  // Later entries win, so the order is descending.
  return new Map(sorted.map(({ key, rail }) => [key, rail]));
}

function keyOf(rail: PaymentRail): string {
  const url = parseUrl(rail.resource);
  const resource = url ? `${url.origin}${url.pathname}` : rail.resource;
  const { protocol, scheme, method, intent, network, asset } = rail;
  return JSON.stringify([protocol, scheme ?? method, intent, network, address(asset), visible(resource, 2_048)]);
}

const ASSET_OF_KEY = 4;

/** The asset of a key, and what the key says besides. */
function partsOf(key: string): { readonly asset: JsonValue; readonly place: string } {
  const parts = JSON.parse(key) as readonly JsonValue[];
  return { asset: parts[ASSET_OF_KEY] ?? null, place: JSON.stringify(parts.toSpliced(ASSET_OF_KEY, 1)) };
}

/** Where one asset came and one went since a resource was met last, one took the place of the other. */
function assetChanges(
  memory: readonly RailMemory[],
  options: ReadonlyMap<string, PaymentRail>,
  at: string,
): readonly DriftEvent[] {
  const placed = [...options].map(([key, rail]) => ({ key, rail, place: partsOf(key).place }));
  return [...new Set(placed.map(({ place }) => place))].flatMap((place) => {
    const known = memory.filter(({ key }) => partsOf(key).place === place);
    const latest = known
      .map(({ seenAt }) => seenAt)
      .sort()
      .at(-1);
    if (latest === undefined || latest >= at) return [];
    const last = known.filter(({ seenAt }) => seenAt === latest);
    const now = placed.filter((option) => option.place === place);
    const [gone, ...others] = last.filter(({ key }) => !options.has(key));
    const [fresh, ...more] = now.filter(({ key }) => !last.some((rail) => rail.key === key));
    return gone && fresh && others.length + more.length === 0
      ? [assetChange(partsOf(gone.key).asset, fresh.rail, at)]
      : [];
  });
}

function assetChange(before: JsonValue, rail: PaymentRail, at: string): DriftEvent {
  const { resource, network } = rail;
  const words = `at ${resource} now takes ${assetOf(rail)}${network === null ? '' : ` on ${network}`}`;
  return {
    ...eventBase(rail, at, words),
    kind: 'asset_changed',
    before: { resource, network, asset: before },
    after: { resource, network, asset: address(rail.asset) },
  };
}

/** Sorts digits as numbers would sort, then by recipient. */
function orderOf({ amount, payTo }: PaymentRail): string {
  return `${(amount ?? '').padStart(80, '0')} ${payTo ?? ''}`;
}

function remembered(key: string, before: RailMemory | undefined, rail: PaymentRail, at: string): RailMemory {
  return {
    key,
    amount: rail.amount ?? before?.amount ?? null,
    amountUsd: rail.amount === null ? (before?.amountUsd ?? null) : rail.amountUsd,
    ...recipient(before, address(rail.payTo)),
    seenAt: at,
  };
}

/**
 * A second probe decides about a new recipient: the same again is a change, yet another one is rotation. Under
 * rotation a recipient that stays ends it.
 */
function recipient(
  before: RailMemory | undefined,
  now: string | null,
): Pick<RailMemory, 'payTo' | 'candidate' | 'dynamicPayTo'> {
  const { payTo = null, candidate, dynamicPayTo } = before ?? {};
  if (now === null) return { payTo, ...defined({ candidate, dynamicPayTo }) };
  if (payTo === null || now === payTo) return { payTo: now };
  if (dynamicPayTo) return { payTo: now, dynamicPayTo };
  if (candidate === undefined) return { payTo, candidate: now };
  return candidate === now ? { payTo: now } : { payTo: now, dynamicPayTo: true };
}

function payToChange(before: RailMemory, rail: PaymentRail, at: string): readonly DriftEvent[] {
  const { candidate, payTo } = before;
  if (candidate === undefined || candidate !== address(rail.payTo)) return [];
  const words = `payments${rail.network === null ? '' : ` on ${rail.network}`} now go to ${candidate}`;
  return [
    {
      ...eventBase(rail, at, words),
      kind: 'pay_to_changed',
      before: { network: rail.network, payTo },
      after: { network: rail.network, payTo: candidate },
    },
  ];
}

function priceChange(before: RailMemory, rail: PaymentRail, at: string): readonly DriftEvent[] {
  const { amount, amountUsd } = before;
  if (amount === null || rail.amount === null || amount === rail.amount) return [];
  const price = rail.amountUsd === null ? `${rail.amount} units of ${assetOf(rail)}` : `${rail.amountUsd} USD`;
  const where: JsonObject = { resource: rail.resource, network: rail.network, asset: assetOf(rail) };
  const words = `at ${rail.resource} now costs ${price}${rail.network === null ? '' : ` on ${rail.network}`}`;
  return [
    {
      ...eventBase(rail, at, words),
      kind: 'price_changed',
      before: { ...where, amount, amountUsd },
      after: { ...where, amount: rail.amount, amountUsd: rail.amountUsd },
    },
  ];
}

function eventBase(rail: PaymentRail, at: string, words: string): Pick<DriftEvent, 'at' | 'protocol' | 'summary'> {
  return { at, protocol: rail.protocol, summary: `${visible(`${rail.protocol} ${words}`, 300)}.` };
}

function assetOf(rail: PaymentRail): string {
  return rail.assetSymbol ?? rail.asset ?? 'an unnamed asset';
}

function address(value: string | null): string | null {
  if (value === null) return null;
  return /^0x[0-9a-f]{40}$/i.test(value) ? value.toLowerCase() : visible(value); // the same after a round trip through a store
}

/** A recipient shared by several routes moves once. */
function withoutRepeats(events: readonly DriftEvent[]): readonly DriftEvent[] {
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()];
}
