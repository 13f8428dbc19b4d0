import type { JsonObject, JsonValue } from '../../formats/json';
import type { X402Challenge } from '../x402-challenge';
import { networkOf, offersOf, optionsOf, schemeOf, stated, type Offer, type Rule } from './client';
import type { Holds } from './values';

/** What `@x402/core` reads: only the header if there is one, in plain base64, otherwise version 1 in the body. */
export function reads({ header, body }: X402Challenge): readonly Offer[] | string {
  if (header === undefined) return body?.['x402Version'] === 1 ? options(body, 1) : 'challenge_unread';
  const isPlain = header?.flaws.every((flaw) => flaw === 'padded' || flaw === 'unpadded') === true;
  if (!header || !isPlain) return 'challenge_unread';
  const version = header.document['x402Version'];
  return version === 1 || version === 2 ? options(header.document, version) : 'version_unspoken';
}

function options(document: JsonObject, version: 1 | 2): readonly Offer[] | string {
  // It reads the network of each option, which only fails for `null`.
  return optionsOf(document).includes(null) ? 'challenge_unread' : offersOf(document, version);
}

const FLOWS: readonly (JsonValue | undefined)[] = [undefined, null, 'authorization', 'upfront', 'escrow'];

/** Rules for skipping an option: its network, its scheme and, in the newest release, an unknown payment flow. */
export function choiceOf(pattern: RegExp, names: string, schemes: string, version: string): readonly Rule[] {
  const speaks = (offer: Offer): boolean =>
    offer.version === 1 ? names.split(' ').includes(networkOf(offer)) : pattern.test(networkOf(offer));
  const spoken = (offer: Offer): readonly string[] => (offer.version === 1 ? ['exact'] : schemes.split(' '));
  return [
    { reason: 'network_unspoken', stops: (offer) => !speaks(offer) },
    { reason: 'scheme_unspoken', stops: (offer) => !spoken(offer).includes(schemeOf(offer)) },
    {
      reason: 'payment_flow_unknown',
      stops: ({ extra }) => version === '2.27' && !FLOWS.includes(extra['paymentFlow']),
    },
  ];
}

/** The newest release prefers an option that is settled after the work to one that is settled first. */
export function isAuthorization({ extra }: Offer): boolean {
  return [undefined, null, 'authorization'].includes(extra['paymentFlow'] as string | null | undefined);
}

/** The recipient or asset must be an address in the format of the scheme's code. */
export const address = (name: 'payTo' | 'asset', holds: Holds): Rule => ({
  reason: name === 'payTo' ? 'payto_invalid' : 'asset_invalid',
  stops: (offer) => !holds(stated(offer, name)),
});

/** A field of `extra` that must be valid. */
export const member = (name: string, holds: Holds, reason = 'extra_member_invalid'): Rule => ({
  reason,
  stops: ({ extra }) => !holds(extra[name]),
});

/** A rule for the options of one scheme. */
export const only = (scheme: string, { reason, stops }: Rule): Rule => ({
  reason,
  stops: (offer) => schemeOf(offer) === scheme && stops(offer),
});
