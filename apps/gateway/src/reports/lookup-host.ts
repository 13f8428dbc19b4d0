import type { HostName } from '@app/hosts';
import { HostReport } from '@app/reports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Described, HostInput, OneOf, Optional } from '../http/inputs';
import { sendPublished } from '../http/published';
import { preferredWaitMs } from '../probing-client/free-presence';
import { defineRoute } from '../routes/define-route';
import { text } from '../routes/json-schema';
import { PAYMENT } from '../routes/parameters';
import { answer } from '../routes/recorded-answers';
import { challenged, RECEIPT, validatedAnswer } from '../routes/responses';
import { defineFreeTool, operationTexts } from './free-tool';
import type { HostReportsService } from './host-reports.service';
import { acceptsStatement, sendReport } from './plain-reads';
import { MARKDOWN, type ReportForms } from './report-forms';
import { prefersMarkdown } from './report-markdown';

export const lookupHost = defineFreeTool({
  name: 'lookup_host',
  title: 'Get the report of a host',
  what: 'Returns the latest report for a host: which agent protocols it supports (UCP, ACP, AP2, TAP, MCP, A2A, x402, MPP, llms.txt, ai-plugin, OpenAPI), with the requests behind each status, how agents can pay it, and fixes for what is missing.',
  freshness:
    'the stored report; `cache.presenceStale` (older than a day) and `cache.callabilityStale` (older than 15 minutes) say whether it is out of date. For a host that was never probed, `protocols` is empty; if a probe was skipped, `skipped` gives the reason. Reading a stale report starts a free probe in the background.',
  errors: ['invalid_domain'],
  instead: 'Use participation_check for a short answer, and refresh_host for a fresh report.',
  input: HostInput,
  component: 'HostReport',
  answer: HostReport,
  run: async ({ domain }, { reports }, { ip, waitMs }) => {
    const { body, sha256 } = await reports.lookup(domain, ip, waitMs);
    return { body: body.toString(), ...(sha256 !== undefined && { subject: { domain: domain.ascii, sha256 } }) };
  },
});

/** The services behind the report route. */
export interface ReportDeps {
  readonly reports: HostReportsService;
  readonly forms: ReportForms;
  /** Sells the live probe for `?refresh=1` (behaviour 7.2). */
  readonly sellRefresh: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Sends the signed form of a report. @throws {RequestError} 404 `host_not_probed` or `statement_expired` */
  readonly sendStatement: (reply: FastifyReply, host: HostName) => Promise<void>;
}

/** The price of a host refresh, in decimal USDC. */
export const REFRESH_USD = '0.02';

/** The description of the query parameter `refresh`. */
export const REFRESH = '`1` buys a live probe, like the route `/refresh`.';

class ReportInput extends HostInput {
  @Described(REFRESH)
  @Optional()
  @OneOf(['1'])
  refresh?: string;
}

const { 200: stored, ...unchanged } = validatedAnswer(
  'The stored report; with `refresh=1`, the report of a fresh probe. JSON by default, Markdown with `Accept: text/markdown`, or its signed statement with `Accept: application/jwt`.',
  answer(lookupHost.component),
  ['Vary', 'Link', ...RECEIPT],
);

/** Endpoint 1 of behaviour 7.1: free; with `refresh=1` it is endpoint 2 under another URL. */
export const REPORT_ROUTE = defineRoute({
  route: 'GET /api/v1/hosts/:domain',
  input: ReportInput,
  call: '/api/v1/hosts/example.com',
  shared: ['Prefer', ...PAYMENT, 'SIGN-IN-WITH-X'],
  ...operationTexts(
    lookupHost,
    `Free. It asks for payment only with \`refresh=1\`, which buys a live probe for ${REFRESH_USD} USDC over x402.`,
  ),
  tag: 'hosts',
  answers: {
    200: { ...stored, 'x-other-content': { 'text/markdown': { schema: text }, 'application/jwt': { schema: text } } },
    ...unchanged,
    402: challenged('With `refresh=1` only.'),
  },
  errors: [400, 401, 403, 404, 409, 502, 503, 504],
  handle: async (deps: ReportDeps, { domain, refresh }, request, reply) => {
    const { ip, headers } = request;
    if (refresh !== undefined) return deps.sellRefresh(request, reply);
    if (acceptsStatement(headers.accept)) return deps.sendStatement(reply, domain);
    const report = await deps.reports.lookup(domain, ip, preferredWaitMs(headers.prefer?.toString()));
    if (!prefersMarkdown(headers.accept)) return sendReport(reply, report);
    return sendPublished(reply, await deps.forms.inForm(MARKDOWN, domain, report));
  },
});
