import { type HostName } from '@app/hosts';
import { ChangesReport } from '@app/reports';
import { Described, Domain, Optional } from '../http/inputs';
import { defineFreeTool } from './free-tool';

class ListChangesInput {
  @Domain()
  domain!: HostName;

  @Described('For subscribers of the host; others always get the last 5.', { type: 'integer' })
  @Optional()
  limit?: unknown;

  @Described('For subscribers: nextBefore of the previous page.', { type: 'string' })
  @Optional()
  before?: unknown;
}

export const listChanges = defineFreeTool({
  name: 'list_changes',
  title: 'List changes of a host',
  what: 'How a host changed between probes, newest first: protocols that appeared, vanished, broke or recovered, prices, payees and endpoints that moved.',
  freshness:
    'as of the last probe. The last 5 summaries are free; a subscriber of the host (Authorization: Bearer) gets all events in pages; the member subscribe tells how to subscribe.',
  errors: ['invalid_domain'],
  failures: 'A host without changes has an empty list.',
  instead: 'Use refresh_host first to see changes since the last probe.',
  input: ListChangesInput,
  component: 'Changes',
  answer: ChangesReport,
  run: async ({ domain, limit, before }, { changes }, { credentialFor }) => ({
    body: JSON.stringify(await changes.read(domain, await credentialFor(domain), { limit, before })),
  }),
});
