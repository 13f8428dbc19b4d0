import { isObject, list, member, type JsonObject, type JsonValue } from '../../formats/json';
import type { X402Accept } from '../x402-accept';
import type { X402Challenge } from '../x402-challenge';
import { isGatewayOption } from '../x402-gateway';
import { word } from './values';

/** A payment option with its values as stated, and the data of its challenge. */
export interface Offer {
  readonly option: JsonObject;
  readonly extra: JsonObject;
  /** `x402Version` as the client interprets it. */
  readonly version: 1 | 2;
}

/** A condition under which a client does not pay. */
export interface Rule<Asked = Offer> {
  readonly reason: string;
  readonly stops: (asked: Asked) => boolean;
}

/** Whether the listed releases of a client can pay an option, and the reason if not. */
export interface ClientAnswer {
  readonly name: string;
  readonly versions: readonly string[];
  readonly pays: boolean;
  readonly reason?: string;
}

/** One release of a client, modeled on its recorded behavior (docs/payable.md). */
export interface Client {
  readonly name: string;
  readonly version: string;
  /** The CAIP-2 namespaces of its wallets. */
  readonly namespaces: readonly string[];
  /** The options that it reads from a challenge, or why it reads none. */
  readonly reads: (challenge: X402Challenge) => readonly Offer[] | string;
  /** Rules for skipping an option. */
  readonly choice: readonly Rule[];
  /** Of the remaining ones, the first is chosen; matching ones are preferred. */
  readonly prefers?: (offer: Offer) => boolean;
  /** Rules that end the purchase, even if other options follow. */
  readonly signing: readonly Rule[];
}

/**
 * The options in the document of a challenge; entries that are not objects make most clients fail and are left out
 * here.
 */
export function offersOf(document: JsonObject, version: 1 | 2): readonly Offer[] {
  return optionsOf(document)
    .filter(isObject)
    .map((option) => ({ option, version, extra: objectOf(member(option, 'extra')) }));
}

/** The entries of `accepts` as stated. */
export function optionsOf(document: JsonObject): readonly JsonValue[] {
  return list(member(document, 'accepts')) ?? [];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export const stated = ({ option }: Offer, name: string): JsonValue | undefined => member(option, name);

/** The amount of the option in its own version. */
export const amountOf = (offer: Offer): JsonValue | undefined =>
  stated(offer, offer.version === 1 ? 'maxAmountRequired' : 'amount');

export const networkOf = (offer: Offer): string => word(stated(offer, 'network'));
export const schemeOf = (offer: Offer): string => word(stated(offer, 'scheme'));
export const isPermit2 = ({ extra }: Offer): boolean => extra['assetTransferMethod'] === 'permit2';

/**
 * Each client treats a Circle Gateway option like an ordinary token option, and signs something that Gateway does not
 * accept.
 */
export const GATEWAY: Rule = {
  reason: 'gateway_unspoken',
  stops: (offer) => isGatewayOption({ ...offer, scheme: schemeOf(offer) }),
};

/** Why a client does not pay an option of a challenge; undefined if it does. */
export function stopOf(client: Client, challenge: X402Challenge, accept: X402Accept): string | undefined {
  const read = client.reads(challenge);
  if (typeof read === 'string') return read;
  // The same terms may be in the header and in the body; a client reads one of them.
  const offer = read.find(({ option }) => option === accept.stated) ?? read.find((other) => isSame(other, accept));
  if (!offer) return 'challenge_unread';
  const own = first(client.choice, offer) ?? first(client.signing, offer);
  if (own !== undefined) return own;
  const open = read.filter((other) => first(client.choice, other) === undefined);
  const chosen = open.find((other) => client.prefers?.(other)) ?? open[0];
  return chosen && first(client.signing, chosen) !== undefined ? 'earlier_option_fails' : undefined;
}

function isSame(offer: Offer, accept: X402Accept): boolean {
  const [a, b] = [offer.option, accept.stated].map((option) => TERMS.map((name) => member(option, name)));
  return offer.version === accept.version && JSON.stringify(a) === JSON.stringify(b);
}

const TERMS = ['scheme', 'network', 'asset', 'payTo', 'amount', 'maxAmountRequired'] as const;

/** The reason of the first rule that applies. */
export function first<Asked>(rules: readonly Rule<Asked>[], asked: Asked): string | undefined {
  return rules.find(({ stops }) => stops(asked))?.reason;
}
