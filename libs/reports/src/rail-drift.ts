import { parseUrl, type JsonObject, type JsonValue } from '@app/detectors';
import { comparableAddress } from '@app/networks';
import { defined } from '@app/platform';
import { driftSummary, type DriftEvent } from './drift-event';
import { priceOf, railKey } from './payment-rails';
import { byPrice, usdOfRail, type PaymentRail } from './rail-members';

/** How many options are remembered per host; a probe finds far fewer, because it calls at most five paid routes. */
const MAX_RAILS = 50;

/** The memory of one payment option, as plain JSON. */
export interface RailMemory {
  /**
   * The fields that identify an option in the history, with the resource without its query. Options with the same key
   * are compared.
   */
  readonly key: string;
  /** The price fields by name. */
  readonly price: JsonObject;
  /** Hexadecimal addresses are in lower case. */
  readonly payTo: string | null;
  /** A different recipient that was seen in one probe. */
  readonly candidate?: string;
  /** The recipient differs for each request, as with deposit addresses, so it is no longer compared. */
  readonly dynamicPayTo?: true;
  readonly seenAt: string;
}

export interface RailDrift {
  readonly memory: readonly RailMemory[];
  readonly events: readonly DriftEvent[];
}

/**
 * Compares prices, assets and recipients of known options. A new or missing option is not an event, because different
 * routes may answer each probe, and the cell tells whether the protocol exists at all.
 */
export function railDrift(memory: readonly RailMemory[], rails: readonly PaymentRail[], at: string): RailDrift {
  const known = new Map(memory.map((rail) => [rail.key, rail]));
  const options = cheapest(rails);
  const events: DriftEvent[] = [...assetChanges(memory, options, at)];
  for (const [key, rail] of options) {
    const before = known.get(key);
    // A probe recorded twice counts once: a recipient must not confirm itself.
    if (before && before.seenAt >= at) continue;
    if (before) events.push(...priceChange(before, rail, at), ...payToChange(before, rail, at));
    known.set(key, remembered(key, before, rail, at));
  }
  const latest = [...known.values()].sort((a, b) => (a.seenAt < b.seenAt ? 1 : a.seenAt > b.seenAt ? -1 : 0));
  return { memory: latest.slice(0, MAX_RAILS), events: withoutRepeats(events) };
}

/** The cheapest option per key, because hosts list several options of one kind, in any order. */
function cheapest(rails: readonly PaymentRail[]): ReadonlyMap<string, PaymentRail> {
  return new Map(rails.toSorted((a, b) => byPrice(b, a)).map((rail) => [keyOf(rail), rail])); // later ones win
}

function keyOf(rail: PaymentRail): string {
  const url = parseUrl(rail.resource);
  return railKey(url ? { ...rail, resource: `${url.origin}${url.pathname}` } : rail, 'history');
}

/** Splits a key into the asset and the rest. */
function partsOf(key: string): { readonly asset: JsonValue; readonly place: string } {
  const { asset = null, ...place } = JSON.parse(key) as JsonObject;
  return { asset, place: JSON.stringify(place) };
}

/** If a resource lost one asset and gained another since its last observation, the asset was replaced. */
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
  const words = `at ${resource} now asks for ${assetOf(rail)}${onNetwork(rail)}`;
  return {
    ...eventBase(rail, at, words),
    kind: 'asset_changed',
    before: { resource, network, asset: before },
    after: { resource, network, asset: comparableAddress(rail.asset) },
  };
}

function remembered(key: string, before: RailMemory | undefined, rail: PaymentRail, at: string): RailMemory {
  const price = before && rail.amount === null ? before.price : priceOf(rail);
  return { key, price, ...recipient(before, comparableAddress(rail.payTo)), seenAt: at };
}

/**
 * The second probe decides about a new recipient: the same again is a change, a third one means rotation. A recipient
 * that stays the same ends the rotation.
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
  if (candidate === undefined || candidate !== comparableAddress(rail.payTo)) return [];
  const words = `payments${onNetwork(rail)} now go to ${candidate}`;
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
  const price = priceOf(rail);
  const isOther = Object.entries(priceOf(rail, 'decides')).some(([name, is]) => {
    const was = before.price[name] ?? null;
    return was !== null && is !== null && was !== is;
  });
  if (!isOther) return [];
  const words = `now costs ${usdOfRail(rail) ?? `${rail.amount ?? '?'} units of ${assetOf(rail)}`}`;
  const where: JsonObject = { resource: rail.resource, network: rail.network, asset: assetOf(rail) };
  return [
    {
      ...eventBase(rail, at, `at ${rail.resource} ${words}${onNetwork(rail)}`),
      kind: 'price_changed',
      before: { ...where, ...before.price },
      after: { ...where, ...price },
    },
  ];
}

function eventBase(rail: PaymentRail, at: string, words: string): Pick<DriftEvent, 'at' | 'protocol' | 'summary'> {
  return { at, protocol: rail.protocol, summary: driftSummary(rail.protocol, words) };
}

function onNetwork({ network }: PaymentRail): string {
  return network === null ? '' : ` on ${network}`;
}

function assetOf(rail: PaymentRail): string {
  return rail.assetSymbol ?? rail.asset ?? 'an unknown asset';
}

/** A recipient shared by several routes changes once. */
function withoutRepeats(events: readonly DriftEvent[]): readonly DriftEvent[] {
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()];
}
