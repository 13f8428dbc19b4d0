import { list, member, type JsonValue } from '../../formats/json';
import { parseUrl } from '../../formats/parse-url';
import type { X402Challenge } from '../x402-challenge';
import { amountOf, GATEWAY, networkOf, offersOf, schemeOf, stated, type Client, type Offer } from './client';
import { failsFirst } from './mpp-clients';
import { fits, isLooseAddress, isText, matches, optional, word, type Holds } from './values';

const isFilled = (value: JsonValue | undefined) => typeof value === 'string' && value !== '';

const RESOURCE: Readonly<Record<string, Holds>> = {
  url: (value) => typeof value === 'string' && parseUrl(value) !== undefined,
  description: optional(isText),
  mimeType: optional(isText),
  serviceName: optional(isText),
  iconUrl: optional(isText),
  tags: (value) => list(value ?? [])?.every(isText) === true,
};

/** It reads x402 version 2 from the header, with a resource, after the `Payment` challenges of the answer. */
function reads({ answer, header }: X402Challenge): readonly Offer[] | string {
  if (!header || header.flaws.some((flaw) => !['padded', 'unpadded', 'base64url'].includes(flaw)))
    return 'challenge_unread';
  const { document } = header;
  if (document['x402Version'] !== 2) return 'version_unspoken';
  const resource = member(document, 'resource');
  if (!matches(resource, RESOURCE)) return 'schema_unmet';
  return failsFirst(answer) ? 'earlier_option_fails' : offersOf(document, 2);
}

/** The x402 support of `mppx`: the scheme `exact` on EVM networks, by EIP-3009 with the domain in the option. */
export const MPPX_X402: Client = {
  name: 'mppx',
  version: '0.11',
  namespaces: ['eip155'],
  reads,
  choice: [
    { reason: 'scheme_unspoken', stops: (offer) => schemeOf(offer) !== 'exact' },
    { reason: 'network_unspoken', stops: (offer) => !/^eip155:\d+$/.test(networkOf(offer)) },
    {
      reason: 'amount_invalid',
      stops: (offer) => !/^\d+$/.test(word(amountOf(offer))) || typeof amountOf(offer) !== 'string',
    },
    {
      reason: 'timeout_invalid',
      stops: (offer) =>
        !(Number(stated(offer, 'maxTimeoutSeconds')) > 0) || typeof stated(offer, 'maxTimeoutSeconds') !== 'number',
    },
    { reason: 'asset_invalid', stops: (offer) => !isFilled(stated(offer, 'asset')) },
    { reason: 'payto_invalid', stops: (offer) => !isFilled(stated(offer, 'payTo')) },
    {
      reason: 'transfer_method_unspoken',
      stops: ({ extra }) => ![undefined, null, 'eip3009'].includes(extra['assetTransferMethod'] as string),
    },
    {
      reason: 'domain_missing',
      stops: ({ extra }) => ['name', 'version'].some((name) => typeof extra[name] !== 'string'),
    },
  ],
  signing: [
    GATEWAY,
    { reason: 'payto_invalid', stops: (offer) => !isLooseAddress(stated(offer, 'payTo')) },
    { reason: 'asset_invalid', stops: (offer) => !isLooseAddress(stated(offer, 'asset')) },
    { reason: 'amount_invalid', stops: (offer) => !fits(amountOf(offer), 256) },
    { reason: 'timeout_invalid', stops: (offer) => !Number.isInteger(stated(offer, 'maxTimeoutSeconds')) },
  ],
};
