import type { Config } from '@app/config';
import type { ProberIdentity } from '@app/signing';
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
import { onceOf, type Published } from '../http/published';
import type { RateLimits } from '../http/rate-limits';
import type { Installation } from '../products/installation';
import type { ReportForms } from '../reports/report-forms';
import type { PayableHostsList } from '../reports/payable-hosts';
import type { RecentHosts } from './recent-hosts';

/** What pages are made of. */
export interface PageDeps {
  readonly site: Installation;
  readonly recent: Pick<RecentHosts, 'list'>;
  readonly payable: Pick<PayableHostsList, 'find'>;
  readonly hosts: Pick<ReportForms, 'inForm' | 'report' | 'probe'>;
  readonly claims: Pick<Claims, 'begin' | 'idOf' | 'show' | 'end'>;
  readonly ownerProbes: Pick<OwnerProbes, 'begin'>;
  readonly limits: Pick<RateLimits, 'countClaim'>;
  readonly identity: Pick<ProberIdentity, 'directory'>;
  readonly config: {
    readonly http: Pick<Config['http'], 'publicBaseUrl'>;
    readonly targets: Omit<Config['targets'], 'optOut'>;
    readonly identity: Pick<Config['identity'], 'egress' | 'contact'>;
  };
  readonly layout: Layout;
  /** What the API reference shows. */
  readonly document: OpenApiDocument;
}

type Route = {
  Params: Readonly<Record<string, string>>;
  Querystring: Readonly<Record<string, unknown>>;
  Body: FormFields | undefined;
};
/** The body is that of a form. */
export type PageRequest = Pick<FastifyRequest<Route>, 'params' | 'query' | 'headers' | 'ip' | 'body'>;

type Answer = Published | { readonly location: string; readonly status: 301 | 303 };

/**
 * A page, or a file that belongs to pages: its route, what the OpenAPI document says of it, and how it is made. It is
 * served, described and linked once it is in the registry (registry.ts).
 */
export interface PageDefinition extends ParameterRoute {
  /** `GET` unless given. */
  readonly method?: 'POST';
  readonly operationId: string;
  readonly summary: string;
  /** `pages` unless given. */
  readonly tag?: 'pages' | 'service';
  /** Path and query of an example request. */
  readonly call?: string;
  /** What is answered besides errors that any request may meet. */
  readonly answers: Responses;
  /** For programs: the statuses refused, as JSON. What is for people has none, and shows every error as a page. */
  readonly refused?: readonly ErrorStatus[];
  /** @throws {RequestError} for a request that it refuses */
  readonly render: (deps: PageDeps, request: PageRequest) => Answer | Promise<Answer>;
}

interface LaidOut extends Omit<PageDefinition, 'answers' | 'render'> {
  /** Beside the page itself. */
  readonly answers?: Responses;
  readonly content: (deps: PageDeps, request: Pick<PageRequest, 'params'>) => PageContent;
}

export const STATIC_SEC = 300;

/** `content` of an OpenAPI response: text of a media type. */
export const textOf = (type: string): Members => ({ [type]: { schema: text } });
export const HTML = textOf('text/html');
const PAGE_ANSWERS = validatedAnswer('The page.', HTML, ['Content-Security-Policy']);

/** A page for people, in the layout of the site. Without parameters it is made once. */
export function definePage({ content, answers, ...said }: LaidOut): PageDefinition {
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

/** A file that shows a host elsewhere. @param of what it is, as `content` of an OpenAPI response */
export function defineFile(of: Members, said: Omit<PageDefinition, 'answers'>): PageDefinition {
  return { ...said, answers: validatedAnswer(said.summary, of, ['Content-Security-Policy', 'Vary']) };
}

/** A page that tells why the page asked for is not shown. */
export function refusedAsPage(description: string): Responses[string] {
  return response(description, ['Content-Security-Policy'], HTML);
}

/** A page that tells why the page asked for is not shown now, and the header that says when it is. */
export function refusedForNow(description: string): Responses[string] {
  return response(description, ['Content-Security-Policy', 'Retry-After'], HTML);
}
