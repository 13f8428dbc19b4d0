import { participation, type HostReport } from '@app/reports';
import { hostArgument } from '../../http/arguments';
import { flag, list, object, oneOf, text } from '../json-schema';
import { DOMAIN, PROTOCOL } from '../schemas';
import type { FreeTool } from '../tool';

export const participationCheck: FreeTool = {
  name: 'participation_check',
  title: 'Check whether a host takes part',
  about: {
    what: 'In at most one kilobyte: whether an agent finds anything to use at a host, which protocols are present or partial, whether it can be paid, and what to call next.',
    freshness:
      'Freshness: the stored report; presenceStale and callabilityStale say how old it is, and a stale one starts a free look in the background.',
    failures: 'Failures: invalid_domain. participates is null when nobody has looked yet or looking did not work.',
    instead: 'Use lookup_host for the evidence, refresh_host when presenceStale is true.',
  },
  input: object({ domain: DOMAIN }),
  answer: object({
    domain: text,
    participates: { type: ['boolean', 'null'] },
    present: list(PROTOCOL),
    partial: list(PROTOCOL),
    payable: flag,
    presenceStale: flag,
    callabilityStale: flag,
    nextAction: oneOf(['refresh_host', 'pay_preflight', 'lookup_host']),
  }),
  openWorld: false,
  readOnly: true,
  run: async ({ domain }, { reports }, { ip, waitMs }) => {
    const { body } = await reports.lookUp(hostArgument(domain), ip, waitMs);
    return JSON.stringify(participation(JSON.parse(body.toString()) as HostReport));
  },
};
