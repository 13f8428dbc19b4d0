import { assetKey } from './networks.js';
import { isObject, type JsonObject, type Payment } from './payment.js';
import type { UnbackedCode } from './payment-refused.js';
import type { KeySet, StatedRail } from './verify-statement.js';

/** The buyer's limits. */
export interface Policy {
  /** The maximum price of one payment, in US dollars. */
  readonly maxUsd: number;
  /** Whether to pay an origin without a valid statement; by default refused. */
  readonly unknown?: 'refuse' | 'allow';
  /** Decimals of additional dollar tokens, by `network/asset`. */
  readonly dollars?: Readonly<Record<string, number>>;
}

/** Warnings about an allowed payment. With one of these, only `maxUsd` limits the payment. */
export type Warning = 'resource_unseen' | 'paid_to_issuer' | UnbackedCode;

/** The source of statements. Times are in milliseconds unless their name says otherwise. */
export interface StatementOptions {
  /** The origin of the trusted service; required without `probe`. */
  readonly issuer?: string;
  /** The keys of the issuer; by default they are fetched from it and cached for a minute. */
  readonly keys?: KeySet;
  /** Returns the newest statement about an origin from another source than the issuer; undefined if there is none. */
  readonly statement?: (origin: string) => string | undefined | Promise<string | undefined>;
  /**
   * Uses a probe of your own in place of statements: returns the payment options of an origin, or undefined if it could
   * not be probed.
   */
  readonly probe?: (origin: string) => Promise<readonly StatedRail[] | undefined>;
  /** The timeout of one request to the issuer; 2,000 by default. */
  readonly timeoutMs?: number;
  /** The maximum age of a statement in seconds; 900 by default. */
  readonly maxAgeSec?: number;
  /** The fetch for requests to the issuer. */
  readonly request?: typeof globalThis.fetch;
  readonly now?: () => number;
}

export interface GuardOptions extends Policy, StatementOptions {
  /** Whether Permit2 signatures through the x402 contracts are allowed; off by default. */
  readonly permit2?: boolean;
  /** Called for each allowed payment. */
  readonly onAllowed?: (payment: Payment, warnings: readonly Warning[]) => void;
}

/** The checked options: `issuer` is an origin, and only empty with `probe`. */
export type CheckedOptions = GuardOptions & { readonly issuer: string };

/** Returns the value to use. @throws {TypeError | RangeError} that says what the value must be */
type Check = (value: unknown) => unknown;

const MAX_USD = 1e9;

const CHECKS: Readonly<Record<keyof GuardOptions, Check>> = {
  issuer: originIn,
  maxUsd: (value) =>
    typeof value !== 'number'
      ? wrongType('a number of US dollars')
      : value >= 0 && value <= MAX_USD
        ? value
        : outOfRange(`from 0 to ${MAX_USD}`),
  unknown: (value) =>
    typeof value !== 'string'
      ? wrongType("'refuse' or 'allow'")
      : value === 'refuse' || value === 'allow'
        ? value
        : outOfRange("'refuse' or 'allow'"),
  dollars: dollarsIn,
  permit2: (value) => (typeof value === 'boolean' ? value : wrongType('true or false')),
  keys: (value) => (isKeySet(value) ? structuredClone(value) : wrongType('a set of keys as the issuer publishes it')),
  statement: aFunction,
  probe: aFunction,
  request: aFunction,
  now: aFunction,
  onAllowed: aFunction,
  timeoutMs: wholeUpTo(600_000),
  maxAgeSec: wholeUpTo(86_400),
};

/**
 * A frozen copy of the options without a prototype, so that later changes to objects cannot weaken the guard.
 * @throws {TypeError | RangeError} that names the option
 */
export function checkedOptions(given: unknown): CheckedOptions {
  if (!isObject(given)) throw new TypeError('hostprobe guard: the options must be an object');
  const options = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(CHECKS, name)) throw new TypeError(`hostprobe guard: unknown option ${name}${hint(name)}`);
    if (value !== undefined) options[name] = checked(name as keyof GuardOptions, value);
  }
  if (options['maxUsd'] === undefined) throw new TypeError('hostprobe guard: option maxUsd is required');
  if (options['issuer'] === undefined && options['probe'] === undefined)
    throw new TypeError('hostprobe guard: option issuer is required, unless probe is given');
  return Object.freeze({ __proto__: null, issuer: '', ...options }) as unknown as CheckedOptions;
}

function checked(name: keyof GuardOptions, value: unknown): unknown {
  try {
    return CHECKS[name](value);
  } catch (error) {
    const fault = error instanceof Error ? error.message : '';
    const Kind = error instanceof RangeError ? RangeError : TypeError;
    throw new Kind(`hostprobe guard: option ${name} must be ${fault}, not ${shown(value)}`);
  }
}

function wrongType(wanted: string): never {
  throw new TypeError(wanted);
}

function outOfRange(wanted: string): never {
  throw new RangeError(wanted);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 100)}'`;
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : value === null
      ? 'null'
      : typeof value;
}

function aFunction(value: unknown): unknown {
  return typeof value === 'function' ? value : wrongType('a function');
}

function wholeUpTo(most: number): Check {
  return (value) =>
    typeof value !== 'number'
      ? wrongType('a number')
      : Number.isInteger(value) && value >= 1 && value <= most
        ? value
        : outOfRange(`a whole number from 1 to ${most}`);
}

/** An origin; a trailing slash is dropped. */
function originIn(value: unknown): string {
  const wanted = 'an http(s) URL without path, query and login';
  if (typeof value !== 'string') return wrongType(wanted);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isOrigin = url?.href === `${url?.origin}/` && /^https?:$/.test(url.protocol);
  return url && isOrigin ? url.origin : outOfRange(wanted);
}

/** Tokens are looked up by {@link assetKey}, with hexadecimal addresses in any case. */
function dollarsIn(value: unknown): unknown {
  const wanted = 'an object of decimals (0 to 77) by network/asset';
  if (!isObject(value)) return wrongType(wanted);
  const dollars = Object.create(null) as Record<string, unknown>;
  for (const [key, decimals] of Object.entries(value)) {
    const [, network, asset] = /^([^/]+:[^/]+)\/(.+)$/.exec(key) ?? [];
    if (typeof decimals !== 'number') return wrongType(wanted);
    if (!network || !asset || !Number.isInteger(decimals) || decimals < 0 || decimals > 77) return outOfRange(wanted);
    dollars[assetKey(network, asset)] = decimals;
  }
  return Object.freeze(dollars);
}

/** The parts of a key set that verification needs. */
export function isKeySet(value: unknown): value is KeySet {
  const { keys, revoked = [] }: JsonObject = isObject(value) ? value : {};
  const named = (list: unknown) =>
    Array.isArray(list) && list.every((one) => isObject(one) && typeof one['kid'] === 'string');
  return named(keys) && named(revoked);
}

function hint(name: string): string {
  const near = Object.keys(CHECKS).find(
    (known) => editsBetween(name.toLowerCase(), known.toLowerCase()) <= known.length / 3,
  );
  return near ? `; did you mean ${near}?` : '';
}

/** The Levenshtein distance. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of Array.from(a).entries())
    row = row.reduce<number[]>(
      (next, above, j) => [
        ...next,
        j === 0
          ? i + 1
          : Math.min(above + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)),
      ],
      [],
    );
  return row[b.length] ?? 0;
}
