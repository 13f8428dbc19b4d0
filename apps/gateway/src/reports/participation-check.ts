import { participation, Participation, readReport } from '@app/reports';
import { HostInput } from '../http/inputs';
import { defineFreeTool } from './free-tool';

export const participationCheck = defineFreeTool({
  name: 'participation_check',
  title: 'Can agents use this host?',
  what: 'Answers in at most one kilobyte whether agents can use a host, which protocols are present or partial, whether agents can pay it, and what to call next.',
  freshness:
    'the stored report; `presenceStale` and `callabilityStale` say whether it is out of date. Reading a stale report starts a free probe in the background.',
  errors: ['invalid_domain'],
  failures: '`participates` is null if the host was not probed yet or the probe was inconclusive.',
  instead: 'Use lookup_host for the evidence, and refresh_host if `presenceStale` is true.',
  input: HostInput,
  component: 'Participation',
  answer: Participation,
  run: async ({ domain }, { reports }, { ip, waitMs }) => {
    const { body } = await reports.lookup(domain, ip, waitMs);
    return { body: JSON.stringify(participation(readReport(body.toString()))) };
  },
});
