import type { Config } from '@app/config';
import type { ProberIdentity } from '@app/signing';
import type { RunRepository } from '@app/storage';
import type { FastifyRequest } from 'fastify';
import { text } from '../routes/json-schema';
import type { OpenApiDocument } from '../routes/openapi-document';
import type { ParameterRoute } from '../routes/parameters';
import { response, validatedAnswer, type ErrorStatus, type Responses } from '../routes/responses';
import type { Members } from '../routes/schema';
import type { Claims } from '../owners/claims';
import type { OwnerProbes } from '../owners/owner-probes';
import type { Layout, PageContent } from './layout/page';
import { keepable } from './layout/page-response';
import type { FormFields } from '../http/form-body';
import type { Html } from '../http/html';
import { onceOf, type Published } from '../http/published';
import type { RateLimits } from '../http/rate-limits';
import type { ProbeClient } from '../probing-client/probe-client';
import type { RunEvents } from '../probing-client/run-events';
import type { Installation } from '../products/installation';
import type { ReportForms } from '../reports/report-forms';
import type { PayableHostsList } from '../reports/payable-hosts';
import type { RecentHosts } from './recent-hosts';

/** The dependencies of pages. */
export interface PageDeps {
  readonly site: Installation;
  readonly recent: Pick<RecentHosts, 'list'>;
  readonly payable: Pick<PayableHostsList, 'find'>;
  readonly hosts: Pick<ReportForms, 'inForm' | 'report' | 'probe'>;
  readonly runs: Pick<RunRepository, 'find'>;
  readonly events: Pick<RunEvents, 'protocolsAsked'>;
  /** Waits for the end of a run. */
  readonly probes: Pick<ProbeClient, 'end'>;
  readonly claims: Pick<Claims, 'begin' | 'idOf' | 'check' | 'show' | 'end'>;
  readonly ownerProbes: Pick<OwnerProbes, 'begin'>;
  readonly limits: Pick<RateLimits, 'countClaim'>;
  readonly identity: Pick<ProberIdentity, 'directory'>;
  readonly config: {
    readonly http: Pick<Config['http'], 'publicBaseUrl'>;
    readonly targets: Omit<Config['targets'], 'optOut'>;
    readonly identity: Pick<Config['identity'], 'egress' | 'contact'>;
  };
  readonly layout: Layout;
  /** Shown as the API reference. */
  readonly document: OpenApiDocument;
}

type Route = {
  Params: Readonly<Record<string, string>>;
  Querystring: Readonly<Record<string, unknown>>;
  Body: FormFields | undefined;
};
/** A request for a page. Its body is a submitted form. */
export type PageRequest = Pick<FastifyRequest<Route>, 'params' | 'query' | 'headers' | 'ip' | 'body'>;

/** A page that is sent in parts as they are rendered. */
interface Streamed extends Pick<Published, 'headers'> {
  readonly parts: AsyncIterable<string>;
}

type Answer = Published | Streamed | { readonly location: string; readonly status: 301 | 303 };

/**
 * A page, or a file that pages load: its route, its description in the OpenAPI document, and how it is rendered. It is
 * served and described once it is in the registry (page-registry.ts).
 */
export interface PageDefinition extends ParameterRoute {
  /** `GET` by default. */
  readonly method?: 'POST';
  readonly operationId: string;
  readonly summary: string;
  /** `pages` by default. */
  readonly tag?: 'pages' | 'service';
  /** Path and query of an example request. */
  readonly call?: string;
  /** The responses, except for the errors that any request can get. */
  readonly answers: Responses;
  /** The error statuses of a file for programs, sent as JSON. A page for people has none: it shows every error as a page. */
  readonly refused?: readonly ErrorStatus[];
  readonly render: (deps: PageDeps, request: PageRequest) => Answer | Promise<Answer>;
  /** The filled-in form of the page, shown below an error so that it can be corrected. By default, the search field. */
  readonly correction?: (request: PageRequest) => Html | undefined;
}

/** Whether it is a page, rather than a file or a redirect. */
export function isHtml({ answers: { 200: answer } }: PageDefinition): boolean {
  return answer !== undefined && 'content' in answer && 'text/html' in (answer.content ?? {});
}

interface PageWithLayout extends Omit<PageDefinition, 'answers' | 'render'> {
  /** The responses in addition to the page itself. */
  readonly answers?: Responses;
  readonly content: (deps: PageDeps, request: Pick<PageRequest, 'params'>) => PageContent;
}

export const STATIC_SEC = 300;

/** The `content` of an OpenAPI response that is text of a media type. */
export const textOf = (type: string): Members => ({ [type]: { schema: text } });
export const HTML = textOf('text/html');
const PAGE_ANSWERS = validatedAnswer('The page.', HTML, ['Content-Security-Policy']);

/** A page for people, in the layout of the site. A page without parameters is rendered once. */
export function definePage({ content, answers, ...said }: PageWithLayout): PageDefinition {
  const once = onceOf();
  return {
    ...said,
    answers: { ...PAGE_ANSWERS, ...answers },
    render: (deps, request) => {
      const make = (): Published => keepable(deps.layout(content(deps, request)), STATIC_SEC);
      return said.params === undefined ? once(deps, make) : make();
    },
  };
}

/** A file about a host, such as a feed or a badge. @param of the `content` of its OpenAPI response */
export function defineFile(of: Members, said: Omit<PageDefinition, 'answers'>): PageDefinition {
  return { ...said, answers: validatedAnswer(said.summary, of, ['Content-Security-Policy', 'Vary']) };
}

/** An error page. */
export function refusedAsPage(description: string): Responses[string] {
  return response(description, ['Content-Security-Policy'], HTML);
}

/** An error page with a `Retry-After` header. */
export function refusedForNow(description: string): Responses[string] {
  return response(description, ['Content-Security-Policy', 'Retry-After'], HTML);
}
