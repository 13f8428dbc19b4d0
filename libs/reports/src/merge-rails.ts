import { atomicAmount, mergeClients, type ClientAnswer } from '@app/detectors';

/** What of a rail decides how it is merged. */
interface Way {
  readonly protocol: string;
  readonly version: string | null;
  readonly scheme?: string;
  readonly method?: string;
  readonly intent?: string;
  readonly network: string | null;
  readonly asset: string | null;
  readonly payTo: string | null;
  readonly amount: string | null;
  readonly maxAmount: string | null;
  readonly resource: string;
  readonly resources: number;
  readonly reasons: readonly string[];
  readonly clients: readonly ClientAnswer[];
}

/**
 * One rail for each way to pay (protocol, scheme or method and intent, network, asset, recipient), however many routes
 * offer it (behaviour 6.2): `amount` and `resource` are the cheapest, `maxAmount` the dearest, `resources` says how many
 * there are. Options that pass every check stand for those that do not. In the order in which the ways were first seen.
 */
export function mergeRails<Rail extends Way>(rails: readonly Rail[]): readonly Rail[] {
  const ways = new Map<string, Rail[]>();
  for (const rail of rails) {
    const way = ways.get(wayOf(rail));
    if (way) way.push(rail);
    else ways.set(wayOf(rail), [rail]);
  }
  return [...ways.values()].map((way) => merged(way));
}

function merged<Rail extends Way>(rails: readonly Rail[]): Rail {
  const sound = rails.filter(({ reasons }) => reasons.length === 0);
  const [cheapest, ...others] = (sound.length > 0 ? sound : rails).toSorted(byAmount);
  if (!cheapest) throw new Error('a way to pay without a rail');
  const dearest = [cheapest, ...others].reduce((a, b) => (numberOf(b.maxAmount) > numberOf(a.maxAmount) ? b : a));
  const resources = new Map<string, number>();
  for (const rail of rails) {
    resources.set(rail.resource, Math.max(resources.get(rail.resource) ?? 0, rail.resources));
  }
  return {
    ...cheapest,
    version: versionsOf(rails),
    clients: mergeClients((sound.length > 0 ? sound : rails).map(({ clients }) => clients)),
    maxAmount: dearest.maxAmount,
    resources: [...resources.values()].reduce((sum, count) => sum + count, 0),
  };
}

function wayOf({ protocol, scheme, method, intent, network, asset, payTo }: Way): string {
  return JSON.stringify([protocol, scheme ?? method, intent, network, comparable(asset), comparable(payTo)]);
}

/** Hexadecimal addresses are the same in any case. */
function comparable(address: string | null): string | null {
  return address !== null && /^0x/i.test(address) ? address.toLowerCase() : address;
}

function byAmount(a: Way, b: Way): number {
  const [x, y] = [numberOf(a.amount), numberOf(b.amount)];
  if (x !== y) return x < 0n || (y >= 0n && y < x) ? 1 : -1;
  const [m, n] = [a, b].map(({ resource, amount }) => `${resource} ${amount ?? ''}`) as [string, string];
  return m < n ? -1 : m > n ? 1 : 0;
}

/** The amount as a number, or -1 for one that is none. */
function numberOf(amount: string | null): bigint {
  return (amount === null ? undefined : atomicAmount(amount)) ?? -1n;
}

/** `1+2` for a way that is offered in both versions of x402. */
function versionsOf(rails: readonly Way[]): string | null {
  const versions = new Set(rails.flatMap(({ version }) => version?.split('+') ?? []));
  return [...versions].sort().join('+') || null;
}
