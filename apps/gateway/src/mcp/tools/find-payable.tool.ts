import { MAX_PAGE, RAIL_PROTOCOLS } from '../../hosts/dto/find-payable.dto';
import { list, object, oneOf, text, time } from '../json-schema';
import { RAIL } from '../schemas';
import type { FreeTool } from '../tool';

export const findPayable: FreeTool = {
  name: 'find_payable',
  title: 'Find payable hosts',
  about: {
    what: 'Hosts that answered a live request with a payment challenge that passed every check, in alphabetical order, with up to 5 matching rails each. Evidence only: no ranking and no recommendation.',
    freshness: 'Freshness: observedAt of each rail; confirm with pay_preflight before paying.',
    failures:
      'Failures: unreadable arguments are refused by name. An empty list means that no host we looked at matches.',
    instead: 'Use lookup_host for one host you know.',
  },
  input: object(
    {},
    {
      query: { type: 'string', maxLength: 253, description: 'Part of the host name or of the priced URL.' },
      protocol: oneOf(RAIL_PROTOCOLS),
      network: { type: 'string', maxLength: 64, description: 'CAIP-2 id or name, for example eip155:8453 or base.' },
      maxPriceUsd: {
        type: ['number', 'string'],
        description: 'Only rails that cost at most this many dollars; rails of unknown price are left out.',
      },
      limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 20, description: 'Hosts on a page.' },
      cursor: { type: 'string', description: 'nextCursor of the page before.' },
    },
  ),
  answer: object({ hosts: list(object({ domain: text, rails: list(RAIL), observedAt: time })) }, { nextCursor: text }),
  openWorld: false,
  readOnly: true,
  run: async (args, { payable }) => JSON.stringify(await payable.find(args)),
};
