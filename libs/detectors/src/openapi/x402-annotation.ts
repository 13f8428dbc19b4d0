import { isObject, list, member, scalar, text, type JsonObject, type JsonValue } from '../formats/json';

/**
 * The data in the field `x-x402` of an operation (x402 working group on domain discovery, annotation of October 2026).
 */
export interface X402Annotation {
  /** False for a route that requires a wallet signature but no payment, whatever responses it documents. */
  readonly paid: boolean;
  /** The lowest amount of its options, in atomic units; null if no option has one. */
  readonly price: string | null;
  /** Whether it matches the schema; it is interpreted in any case. */
  readonly wellFormed: boolean;
}

const SIGN_IN = 'sign-in-with-x';

/**
 * Parses the annotation; undefined if missing. With `true`, or with neither options nor a sign-in, the live 402 has the
 * terms.
 */
export function readX402Annotation(operation: JsonObject): X402Annotation | undefined {
  const stated = member(operation, 'x-x402');
  if (stated === true) return { paid: true, price: null, wellFormed: true };
  if (!isObject(stated)) return undefined;
  const options = list(member(stated, 'accepts')) ?? [];
  const extensions = member(stated, 'extensions');
  const signsIn = isObject(extensions) && Object.hasOwn(extensions, SIGN_IN);
  const prices = options.map((option) => scalar(member(option, 'minAmount'))).filter((price) => price !== undefined);
  return { paid: options.length > 0 || !signsIn, price: prices[0] ?? null, wellFormed: keepsToSchema(stated) };
}

function keepsToSchema(stated: JsonObject): boolean {
  const { accepts, extensions, ...others } = stated;
  if (Object.keys(others).length > 0) return false;
  if (accepts !== undefined && !(list(accepts)?.length && list(accepts)?.every(isOption))) return false;
  if (extensions === undefined) return true;
  return isObject(extensions) && Object.keys(extensions).length > 0 && Object.values(extensions).every(isObject);
}

/** An option has scheme and network. The recipient is in the live 402, and a price needs both bounds and its asset. */
function isOption(option: JsonValue): boolean {
  if (!isObject(option) || member(option, 'payTo') !== undefined) return false;
  const [scheme, network, asset] = ['scheme', 'network', 'asset'].map((name) => text(member(option, name)));
  const bounds = ['minAmount', 'maxAmount'].map((name) => member(option, name)).filter((bound) => bound !== undefined);
  const priced = bounds.length === 2 && asset !== undefined && bounds.every((bound) => /^\d+$/.test(text(bound) ?? ''));
  return scheme !== undefined && network !== undefined && (bounds.length === 0 || priced);
}
