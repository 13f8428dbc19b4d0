import { type HostName } from '@app/hosts';
import { ChangesReport } from '@app/reports';
import { credentialOf } from '../checkout/credential';
import { Described, Domain, Optional } from '../http/inputs';
import { PRIVATE } from '../http/published';
import { defineRoute } from '../routes/define-route';
import { SUBSCRIBER } from '../routes/parameters';
import { answer } from '../routes/recorded-answers';
import { response } from '../routes/responses';
import type { ChangeHistory } from './change-history';
import { defineFreeTool, operationTexts } from './free-tool';

class ListChangesInput {
  @Domain()
  domain!: HostName;

  @Described('For subscribers of the host. Others always get the last 5.', { type: 'integer' })
  @Optional()
  limit?: unknown;

  @Described('For subscribers: nextBefore of the previous page.', { type: 'string' })
  @Optional()
  before?: unknown;
}

export const listChanges = defineFreeTool({
  name: 'list_changes',
  title: 'List the changes of a host',
  what: 'Lists how a host changed between probes, newest first: protocols that appeared, vanished, broke or recovered, and changed prices, recipients and endpoints.',
  freshness:
    'as of the last probe. The last 5 summaries are free; a subscriber of the host (Authorization: Bearer) gets all events in pages; subscribe in the answer says how to subscribe.',
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

/** Endpoint 3 of behaviour 7.1. */
export const CHANGES_ROUTE = defineRoute({
  route: 'GET /api/v1/hosts/:domain/changes',
  input: ListChangesInput,
  call: '/api/v1/hosts/example.com/changes',
  ...operationTexts(listChanges, ''),
  tag: 'hosts',
  security: [{}, ...SUBSCRIBER],
  answers: { 200: response('The changes.', ['Vary'], answer(listChanges.component)) },
  errors: [400, 401],
  headers: { vary: 'Authorization, SIGN-IN-WITH-X' },
  handle: async ({ changes }: { readonly changes: ChangeHistory }, { domain, ...page }, { headers }, reply) => {
    const credential = credentialOf(headers);
    const read = await changes.read(domain, credential, page);
    void reply.headers(credential ? PRIVATE : { 'cache-control': 'public, max-age=30' });
    return read;
  },
});
