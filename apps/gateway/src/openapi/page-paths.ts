import { list, object, text, time, url } from '../mcp/json-schema';
import { DOMAIN, PROTOCOL } from '../mcp/schemas';
import type { Operation, Paths } from './operation';
import { routeParameters, shared } from './parameters';
import { refusals, response, validatedAnswer, type Refusal, type Responses } from './responses';
import type { Members } from './schema';

type Route = Parameters<typeof routeParameters>[0] & {
  /** Path and query of an example request. */
  readonly call?: string;
};
type PathItem = { readonly get: Operation };

const of = (type: string): Members => ({ [type]: { schema: text } });
const HTML = of('text/html');
const ASSETS = { ...of('text/css'), ...of('text/javascript'), ...of('image/svg+xml') };

/** A page that says why there is none. */
const refused = (description: string): Responses[string] => response(description, ['Content-Security-Policy'], HTML);
const REFUSED: Responses = {
  429: refused('Too many requests.'),
  500: refused('A fault of ours.'),
  503: response('Our storage is away.', ['Content-Security-Policy', 'Retry-After'], HTML),
};

const FEED = object({
  version: { const: 'https://jsonfeed.org/version/1.1' },
  title: text,
  home_page_url: url,
  feed_url: url,
  authors: list(object({ name: text })),
  items: list(object({ id: text, url, title: text, content_text: text, date_published: time, tags: list(text) })),
});

/** What people read, and the feeds and badges that show it elsewhere. */
export function pagePaths(): Paths {
  const invalid = { 400: refused('This is no public host name.') };
  return {
    '/': page('start_page', 'Start page', { ...html('The page.', ['Link']), ...REFUSED }),
    '/hosts': page(
      'search',
      'To the page of a host',
      { 303: response('The page of that host, or the start page.', ['Location']), ...invalid, ...REFUSED },
      { path: '/hosts', query: { properties: { domain: DOMAIN } }, call: '/hosts?domain=example.com' },
    ),
    '/hosts/{domain}': page(
      'host_page',
      'A host on one page',
      {
        ...validatedAnswer('The page, or Markdown for whoever prefers it.', { ...HTML, ...of('text/markdown') }, [
          'Content-Security-Policy',
          'Vary',
        ]),
        301: response('The page of the host under the name it has here.', ['Location']),
        ...invalid,
        ...REFUSED,
      },
      ofHost(''),
    ),
    '/hosts/{domain}/changes.atom': file(
      'atom_feed',
      'Changes as an Atom feed (RFC 4287)',
      of('application/atom+xml'),
      [400],
      ofHost('/changes.atom'),
    ),
    '/hosts/{domain}/changes.json': file(
      'json_feed',
      'Changes as a JSON Feed (jsonfeed.org)',
      { 'application/feed+json': { schema: FEED } },
      [400],
      ofHost('/changes.json'),
    ),
    '/badge/{file}': file('badge', 'What is known of a host, as a badge', of('image/svg+xml'), [400, 404], {
      path: '/badge/:file',
      params: { file: { type: 'string', pattern: '\\.svg$', description: 'Host name and `.svg`.' } },
      query: { properties: { protocol: { ...PROTOCOL, description: 'Only this protocol.' } } },
      call: '/badge/example.com.svg',
    }),
    '/pricing': page('pricing', 'What costs how much', { ...html('The page.'), ...REFUSED }),
    '/errors': page('error_codes', 'Codes of errors', { ...html('The page.'), ...REFUSED }),
    '/errors/{code}': page(
      'error_code',
      'What a code means',
      { ...html('The page.'), 404: refused('There is no such code.'), ...REFUSED },
      { path: '/errors/:code', params: { code: text }, call: '/errors/payment_required' },
    ),
    '/docs': page('api_reference', 'This document, made readable', { ...html('The page.'), ...REFUSED }),
    '/docs/reference.js': page('reference_script', 'The script of that page', {
      ...validatedAnswer('The script.', of('text/javascript'), ['Vary']),
      ...REFUSED,
    }),
    '/assets/{name}': page(
      'asset',
      'Files that pages load',
      {
        200: response('Kept for ever: another content has another name.', [], ASSETS),
        ...refusals(404),
      },
      { path: '/assets/:name', params: { name: text } },
    ),
  };
}

/** What is at `below` of the page of a host. */
function ofHost(below: string): Route {
  return { path: `/hosts/:domain${below}`, params: { domain: DOMAIN }, call: `/hosts/example.com${below}` };
}

function html(description: string, headers: readonly 'Link'[] = []): Responses {
  return validatedAnswer(description, HTML, ['Content-Security-Policy', ...headers]);
}

function page(operationId: string, summary: string, responses: Responses, route: Route = { path: '/' }): PathItem {
  const parameters = [...routeParameters(route, route.call), ...('304' in responses ? shared('If-None-Match') : [])];
  return { get: { operationId, summary, tags: ['pages'], security: [], parameters, responses } };
}

function file(
  operationId: string,
  summary: string,
  content: Members,
  refusedWith: readonly Refusal[],
  route?: Route,
): PathItem {
  const answer = validatedAnswer(summary, content, ['Content-Security-Policy', 'Vary']);
  return page(operationId, summary, { ...answer, ...refusals(...refusedWith) }, route);
}
