import { DETECTOR_IDS } from '@app/detectors';
import { anyObject, text } from '../mcp/json-schema';
import type { Operation, Paths } from './operation';
import { shared } from './parameters';
import { refusals, response, validatedAnswer, type Refusal, type Responses } from './responses';
import type { Members } from './schema';

const SCRIPT: Members = { 'text/javascript': { schema: text } };
const PROTOCOL: Members = {
  name: 'protocol',
  in: 'query',
  required: false,
  description: 'One protocol instead of the whole host.',
  schema: { type: 'string', enum: DETECTOR_IDS },
};
const DOMAIN_ASKED: Members = {
  name: 'domain',
  in: 'query',
  required: false,
  description: 'A host name or a URL; without one the start page follows.',
  schema: { type: 'string' },
};
const page: Members = { 'text/html': { schema: text } };
const domain = inPath('domain', 'shop.example.com');
const REDIRECT = response('The one address of the page.', ['Location']);

/** What people read, and what other sites show: pages, badges, feeds. */
export function pagePaths(): Paths {
  return {
    '/': free('start_page', 'Search a host; hosts looked at lately', validatedAnswer('The start page.', page)),
    '/hosts': free('search_page', 'Where the search field leads', { 303: REDIRECT }, [400], [DOMAIN_ASKED]),
    '/hosts/{domain}': free(
      'host_page',
      'A report for people; Markdown for whoever prefers it',
      {
        ...validatedAnswer('The report.', { ...page, 'text/markdown': { schema: text } }, [
          'Content-Security-Policy',
          'Vary',
        ]),
        301: REDIRECT,
      },
      [400],
      [domain],
    ),
    '/hosts/{domain}/changes.atom': free(
      'changes_atom',
      'The last changes of a host as an Atom feed',
      validatedAnswer('RFC 4287.', { 'application/atom+xml': { schema: text } }),
      [400],
      [domain],
    ),
    '/hosts/{domain}/changes.json': free(
      'changes_json_feed',
      'The last changes of a host as a JSON Feed',
      validatedAnswer('JSON Feed 1.1.', { 'application/feed+json': { schema: anyObject } }),
      [400],
      [domain],
    ),
    '/badge/{file}': free(
      'badge',
      'A dated verdict as an image',
      validatedAnswer('Grey when nobody looked for a day.', { 'image/svg+xml': { schema: text } }, [
        'Content-Security-Policy',
      ]),
      [400, 404],
      [inPath('file', 'shop.example.com.svg'), PROTOCOL],
    ),
    '/pricing': free('pricing_page', 'Prices, and when nothing is charged', validatedAnswer('The page.', page)),
    '/errors': free('errors_page', 'All error codes', validatedAnswer('The page.', page)),
    '/errors/{code}': free(
      'error_page',
      'What an error code means, and what to do',
      validatedAnswer('The page.', page),
      [404],
      [inPath('code', 'payment_required')],
    ),
    '/docs': free(
      'api_reference',
      'This document, for people',
      validatedAnswer('The page.', page, ['Content-Security-Policy']),
    ),
    '/docs/reference.js': free(
      'api_reference_script',
      'What draws it',
      validatedAnswer('The script.', SCRIPT, ['Vary']),
    ),
    '/assets/{name}': free(
      'asset',
      'What the pages load',
      {
        200: response('Kept for ever: another content has another name.', [], {
          ...SCRIPT,
          'text/css': { schema: text },
        }),
      },
      [404],
      [inPath('name', 'style.css')],
    ),
  };
}

function inPath(name: string, example: string): Members {
  return { name, in: 'path', required: true, schema: { type: 'string' }, example };
}

function free(
  operationId: string,
  summary: string,
  responses: Responses,
  refused: readonly Refusal[] = [],
  parameters: readonly Members[] = [],
): { readonly get: Operation } {
  const known = '304' in responses ? shared('If-None-Match') : [];
  return {
    get: {
      operationId,
      summary,
      tags: ['pages'],
      security: [],
      ...(parameters.length + known.length > 0 ? { parameters: [...parameters, ...known] } : {}),
      responses: { ...refusals(...refused), ...responses },
    },
  };
}
