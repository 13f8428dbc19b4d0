import { object, list, text, time, url } from '../routes/json-schema';
import type { DetectorId } from '@app/detectors';
import type { HostName } from '@app/hosts';
import { isUuid } from '@app/storage';
import { Described, Domain, DOMAIN_SCHEMA as DOMAIN, OneOf, Optional, Protocol, Text } from '../http/inputs';
import { response, validatedAnswer } from '../routes/responses';
import type { Layout } from './layout/page';
import { keepable, CALLING_HEADERS } from './layout/page-response';
import { hostArgument } from '../http/arguments';
import { checkSameOrigin } from '../http/form-body';
import { RequestError } from '../http/request-error';
import { queryArguments } from '../http/validated';
import { inputSchema } from '../routes/input-schema';
import { badge as drawn } from '../reports/badge';
import { hostPage as hostContent } from './host/host-page';
import { hasEnded, progressContent, progressPath } from './host/probe-progress';
import { previewImage } from './preview/preview-image';
import { ATOM, JSON_FEED, MARKDOWN, type ReportForm } from '../reports/report-forms';
import { prefersMarkdown } from '../reports/report-markdown';
import {
  defineFile,
  HTML,
  refusedAsPage,
  refusedForNow,
  STATIC_SEC,
  textOf,
  type PageDefinition,
} from './page-definition';

const INVALID = { 400: refusedAsPage('This is not a public host name.') };

/** The route at `below` under the page of a host. */
const ofHost = (below: string): Pick<PageDefinition, 'path' | 'params' | 'call'> => ({
  path: `/hosts/:domain${below}`,
  params: { domain: DOMAIN },
  call: `/hosts/example.com${below}`,
});

class SearchQuery {
  @Optional()
  @Domain()
  domain?: HostName;
}

/** The target of the search field, so that the field works without a script. */
export const search: PageDefinition = {
  path: '/hosts',
  query: inputSchema(SearchQuery),
  call: '/hosts?domain=example.com',
  operationId: 'search',
  summary: 'Redirect to the page of a host',
  answers: { 303: response('The page of that host, or the start page.', ['Location']), ...INVALID },
  render: (_, { query }) => {
    const { domain } = queryArguments(SearchQuery, query);
    return { location: domain ? `/hosts/${domain.ascii}` : '/', status: 303 };
  },
};

/** The report as a page. */
function pageForm(layout: Layout): ReportForm {
  return {
    name: 'page',
    headers: { ...CALLING_HEADERS, vary: 'Accept' },
    isReport: true,
    render: (reading, { http: { publicBaseUrl: baseUrl }, identity: { contact }, freePresenceProbe: freeProbes }) =>
      layout({
        ...hostContent({ ...reading, baseUrl, contact, freeProbes }),
        image: `${baseUrl}/hosts/${reading.report.domain}/preview.png`,
      }),
  };
}

/** A host has one address: `WWW.Shop.example.com` redirects to `shop.example.com`. */
export const hostPage: PageDefinition = {
  ...ofHost(''),
  operationId: 'host_page',
  summary: 'The report of a host',
  answers: {
    ...validatedAnswer('The page, or Markdown for a client that prefers it.', { ...HTML, ...textOf('text/markdown') }, [
      'Content-Security-Policy',
      'Link',
      'Vary',
    ]),
    301: response('The page under the canonical name of the host.', ['Location']),
    ...INVALID,
  },
  render: ({ hosts, layout }, { params, headers }) => {
    const host = hostArgument(params['domain']);
    if (host.ascii !== params['domain']) return { location: `/hosts/${host.ascii}`, status: 301 };
    return hosts.inForm(prefersMarkdown(headers.accept) ? MARKDOWN : pageForm(layout), host);
  },
};

class ProbeQuery {
  @Described('`no` keeps the host off the list of recently probed hosts.')
  @Optional()
  @OneOf(['no'])
  listed?: string;
}

/** The button for the free probe of a host, which counts against the limits of the caller. */
export const probe: PageDefinition = {
  ...ofHost('/probe'),
  query: inputSchema(ProbeQuery),
  method: 'POST',
  operationId: 'probe_host_page',
  summary: 'Start the free probe of a host',
  answers: {
    303: response('The progress of the probe, or the page of that host where there is nothing to wait for.', [
      'Location',
    ]),
    ...INVALID,
    403: refusedAsPage('The form was sent from another site, or the owner of the host opted out.'),
    429: refusedForNow('The free probe for this host was used today, or a limit was reached.'),
    503: refusedForNow('The probe failed on our side, or the database is unavailable. The host keeps its free probe.'),
  },
  render: async ({ hosts, config }, request) => {
    checkSameOrigin(request, config.http.publicBaseUrl);
    const host = hostArgument(request.params['domain']);
    const { listed } = queryArguments(ProbeQuery, request.query);
    const run = await hosts.probe(host, request.ip, listed === undefined);
    return { location: run === undefined ? `/hosts/${host.ascii}` : progressPath(host, run), status: 303 };
  },
};

class ProgressQuery {
  @Text('The id of the run.', { format: 'uuid' })
  @Optional()
  run?: string;
}

/** The progress of a running probe. It redirects to the report as soon as there is one. */
export const probeProgress: PageDefinition = {
  ...ofHost('/probe'),
  query: inputSchema(ProgressQuery),
  operationId: 'probe_progress_page',
  summary: 'The progress of a probe',
  answers: {
    200: response('The progress. Without a script the page reloads itself.', ['Content-Security-Policy'], HTML),
    303: response('The page of that host: the probe has ended, or none was named.', ['Location']),
    ...INVALID,
    403: refusedAsPage('The owner of the host opted out.'),
    404: refusedAsPage('Unknown run.'),
    502: refusedForNow('The probe failed on our side.'),
    504: refusedForNow('The probe did not finish in time.'),
  },
  render: async ({ runs, events, layout }, request) => {
    const { ascii } = hostArgument(request.params['domain']);
    const { run: id } = queryArguments(ProgressQuery, request.query);
    const run = id !== undefined && isUuid(id) ? await runs.find(id) : undefined;
    if (id !== undefined && run?.domain !== ascii) throw new RequestError('run_unknown');
    if (!run || hasEnded(run, new Date())) return { location: `/hosts/${ascii}`, status: 303 };
    const body = layout(progressContent(run, events.protocolsAsked(run.id)));
    return { body, headers: { ...CALLING_HEADERS, 'cache-control': 'no-store' } };
  },
};

const PREVIEW: ReportForm = {
  name: 'preview',
  headers: {
    'content-type': 'image/png',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
  },
  isReport: false,
  render: ({ report }) => previewImage(report),
};

/** The image that other sites show for a shared link to the page of the host. */
export const preview = defineFile(textOf('image/png'), {
  ...ofHost('/preview.png'),
  operationId: 'preview_image',
  summary: 'The report of a host as a picture, for shared links',
  refused: [400],
  render: ({ hosts }, { params }) => hosts.inForm(PREVIEW, hostArgument(params['domain'])),
});

export const atomFeed = defineFile(textOf('application/atom+xml'), {
  ...ofHost('/changes.atom'),
  operationId: 'atom_feed',
  summary: 'Changes at a host as an Atom feed (RFC 4287)',
  refused: [400],
  render: ({ hosts }, { params }) => hosts.inForm(ATOM, hostArgument(params['domain'])),
});

const FEED = object({
  version: { const: 'https://jsonfeed.org/version/1.1' },
  title: text,
  home_page_url: url,
  feed_url: url,
  authors: list(object({ name: text })),
  items: list(object({ id: text, url, title: text, content_text: text, date_published: time, tags: list(text) })),
});

export const jsonFeed = defineFile(
  { 'application/feed+json': { schema: FEED } },
  {
    ...ofHost('/changes.json'),
    operationId: 'json_feed',
    summary: 'Changes at a host as a JSON Feed (jsonfeed.org)',
    refused: [400],
    render: ({ hosts }, { params }) => hosts.inForm(JSON_FEED, hostArgument(params['domain'])),
  },
);

/** Other sites embed the badge. If it is opened directly, it loads and runs nothing. */
const BADGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
};

class BadgeQuery {
  @Optional()
  @Protocol()
  protocol?: DetectorId;
}

export const badge = defineFile(textOf('image/svg+xml'), {
  path: '/badge/:file',
  params: {
    file: { type: 'string', pattern: '\\.svg$', description: 'Host name and `.svg`, for example `example.com.svg`.' },
  },
  query: inputSchema(BadgeQuery),
  call: '/badge/example.com.svg',
  operationId: 'badge',
  summary: 'The badge of a host',
  refused: [400, 404],
  render: async ({ hosts }, { params: { file = '' }, query }) => {
    if (!file.endsWith('.svg')) throw new RequestError('not_found', 'The address of a badge ends with .svg.');
    const host = hostArgument(file.slice(0, -'.svg'.length));
    const { protocol } = queryArguments(BadgeQuery, query);
    return keepable(drawn(await hosts.report(host), protocol, new Date()), STATIC_SEC, BADGE_HEADERS);
  },
});
