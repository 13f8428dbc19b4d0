import { participation, Participation, readReport } from '@app/reports';
import { HostInput } from '../http/inputs';
import { defineFreeTool } from './free-tool';

export const participationCheck = defineFreeTool({
  name: 'participation_check',
  title: 'Check whether a host takes part',
  what: 'In at most one kilobyte: whether an agent finds anything to use at a host, which protocols are present or partial, whether it can be paid, and what to call next.',
  freshness:
    'the stored report; presenceStale and callabilityStale tell whether it is out of date. A lookup of a stale report starts a free probe in the background.',
  errors: ['invalid_domain'],
  failures: 'participates is null when the host was not probed yet or the probe could not decide.',
  instead: 'Use lookup_host for the evidence, refresh_host when presenceStale is true.',
  input: HostInput,
  component: 'Participation',
  answer: Participation,
  run: async ({ domain }, { reports }, { ip, waitMs }) => {
    const { body } = await reports.lookup(domain, ip, waitMs);
    return { body: JSON.stringify(participation(readReport(body.toString()))) };
  },
});
