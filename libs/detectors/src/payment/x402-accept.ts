import { isObject, member, text, type JsonObject, type JsonValue } from '../formats/json';

/** A payment option of an x402 challenge or manifest, with the field names of both versions unified. */
export interface X402Accept {
  readonly version: 1 | 2;
  readonly scheme: string | null;
  /** As stated: CAIP-2 in V2, a name such as `base` in V1. */
  readonly network: string | null;
  /** Atomic units as stated (`amount` in V2, `maxAmountRequired` in V1). */
  readonly amount: string | null;
  readonly asset: string | null;
  /** As stated. An empty string is kept, because it is a fault of its own. */
  readonly payTo: string | null;
  readonly maxTimeoutSeconds: number | null;
  readonly extra: JsonObject;
  /** URL of the priced resource, if the option has one (V1). */
  readonly resource: string | null;
  /** All fields are present with the types of the version; otherwise legacy clients refuse the whole list. */
  readonly wellTyped: boolean;
  /** The option as in the challenge. */
  readonly stated: JsonObject;
}

/** How many options of one list are read; real challenges have fewer than ten. */
const MAX_ACCEPTS = 50;

/** Reads the options of an `accepts` list; entries that are not objects are left out. */
export function readAccepts(value: JsonValue | undefined, version: 1 | 2): readonly X402Accept[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly JsonValue[])
    .slice(0, MAX_ACCEPTS)
    .filter(isObject)
    .map((item) => readAccept(item, version));
}

/**
 * Reads one option. Fields: https://github.com/x402-foundation/x402/blob/main/specs/x402-specification-v2.md (and
 * -v1.md). An amount that is a whole number instead of a string is accepted, but `wellTyped` is false.
 */
export function readAccept(item: JsonObject, version: 1 | 2): X402Accept {
  const [own, other] = version === 1 ? ['maxAmountRequired', 'amount'] : ['amount', 'maxAmountRequired'];
  const amount = member(item, own) ?? member(item, other);
  const timeout = member(item, 'maxTimeoutSeconds');
  const extra = member(item, 'extra');
  const payTo = member(item, 'payTo');
  const required = ['scheme', 'network', 'asset', 'payTo', own, ...(version === 1 ? ['resource', 'description'] : [])];
  return {
    version,
    scheme: text(member(item, 'scheme')) ?? null,
    network: text(member(item, 'network')) ?? null,
    amount: typeof amount === 'number' && Number.isSafeInteger(amount) ? String(amount) : (text(amount) ?? null),
    asset: text(member(item, 'asset')) ?? null,
    payTo: typeof payTo === 'string' ? payTo : null,
    maxTimeoutSeconds: typeof timeout === 'number' && Number.isFinite(timeout) ? timeout : null,
    extra: isObject(extra) ? extra : {},
    resource: text(member(item, 'resource')) ?? null,
    wellTyped: required.every((name) => typeof member(item, name) === 'string') && typeof timeout === 'number',
    stated: item,
  };
}

/** Whether an option has the minimum of an offer: scheme, network, amount, asset and recipient. */
export function isComplete(accept: X402Accept): boolean {
  const { scheme, network, amount, asset, payTo } = accept;
  return [scheme, network, amount, asset].every((value) => value !== null) && payTo !== null && payTo.trim() !== '';
}
