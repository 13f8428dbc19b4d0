import { type HostName } from '@app/hosts';
import { ChangesReport } from '@app/reports';
import { IsString } from 'class-validator';
import { credentialOf } from '../checkout/credential';
import { BAD_CURSOR, Described, Domain, Optional, PageInput } from '../http/inputs';
import { PRIVATE } from '../http/published';
import { RequestError } from '../http/request-error';
import { defineRoute } from '../routes/define-route';
import { SUBSCRIBER } from '../routes/parameters';
import { answer } from '../routes/recorded-answers';
import { response } from '../routes/responses';
import type { ChangeHistory } from './change-history';
import { defineFreeTool, operationTexts } from './free-tool';
import type { HistoryPage } from './host-reports.service';

class ListChangesInput extends PageInput {
  @Domain()
  domain!: HostName;

  @Described('Deprecated name of `cursor`.', { deprecated: true })
  @Optional()
  @IsString({ message: 'before must be the nextBefore of the previous page' })
  before?: string;
}

/** @throws {RequestError} 400 `invalid_cursor` */
function pageOf({ limit, before, cursor = before }: ListChangesInput): HistoryPage {
  // Ids have at most 18 digits.
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw new RequestError('invalid_cursor', BAD_CURSOR);
  return { limit, cursor: cursor === undefined ? undefined : BigInt(cursor) };
}

export const listChanges = defineFreeTool({
  name: 'list_changes',
  title: 'List the changes of a host',
  what: 'Lists how a host changed between probes, newest first: protocols that appeared, vanished, broke or recovered, and prices, recipients and endpoints that changed.',
  freshness:
    'as of the last probe. The last 5 summaries are free; a subscriber of the host (Authorization: Bearer) gets all events in pages, by `limit` and `cursor`. Without a subscription, `limit` and `cursor` have no effect; the field `subscribe` of the response explains how to subscribe.',
  errors: ['invalid_domain', 'invalid_limit', 'invalid_cursor'],
  failures: 'A host without changes has an empty list.',
  instead: 'Use refresh_host first to see changes since the last probe.',
  input: ListChangesInput,
  component: 'Changes',
  answer: ChangesReport,
  run: async (input, { changes }, { credentialFor }) => {
    const page = pageOf(input);
    return { body: JSON.stringify(await changes.read(input.domain, await credentialFor(input.domain), page)) };
  },
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
  handle: async ({ changes }: { readonly changes: ChangeHistory }, input, { headers }, reply) => {
    const credential = credentialOf(headers);
    const read = await changes.read(input.domain, credential, pageOf(input));
    void reply.headers(credential ? PRIVATE : { 'cache-control': 'public, max-age=30' });
    return read;
  },
});
