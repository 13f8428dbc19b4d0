import { response, validatedAnswer } from '../routes/responses';
import { ASSETS } from './layout/assets';
import { favicon } from './layout/favicon';
import { RequestError } from '../http/request-error';
import { text } from '../routes/json-schema';
import { html } from '../http/html';
import { keepable } from './layout/page-response';
import { defineFile, isHtml, STATIC_SEC, textOf, type PageDefinition } from './page-definition';

const CONTENT = { ...textOf('text/css'), ...textOf('text/javascript'), ...textOf('image/svg+xml') };

/** Cached forever: the name changes with the content. */
export const asset: PageDefinition = {
  path: '/assets/:name',
  params: { name: text },
  operationId: 'asset',
  summary: 'Files that pages load',
  answers: validatedAnswer('The file. Cacheable forever: its name changes with its content.', CONTENT),
  refused: [404],
  render: (_, { params }) => {
    const found = ASSETS.find(({ path }) => path === `/assets/${params['name']}`);
    if (found === undefined) throw new RequestError('not_found', 'File not found.');
    return {
      body: found.content,
      etag: found.etag,
      headers: {
        'content-type': found.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      },
    };
  },
};

const FAVICON = favicon();

/** For clients that ignore the `link` element of a page. */
export const siteIcon: PageDefinition = {
  path: '/favicon.ico',
  operationId: 'favicon',
  summary: 'Site icon',
  answers: { 200: response('The icon.', [], textOf('image/x-icon')) },
  render: () => ({
    body: FAVICON,
    headers: {
      'content-type': 'image/x-icon',
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
    },
  }),
};

const SITEMAP_HEADERS = { 'content-type': 'application/xml; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** The sitemap: the pages that are the same for every reader, and the recently probed hosts. */
export const siteMap = (pages: readonly PageDefinition[]): PageDefinition =>
  defineFile(textOf('application/xml'), {
    path: '/sitemap.xml',
    operationId: 'sitemap',
    summary: 'Pages for search engines (sitemaps.org)',
    refused: [],
    render: async ({ site, recent }) => {
      const alike = pages.filter((page) => isHtml(page) && !page.path.includes(':'));
      const paths = [
        ...alike.map(({ path }) => path),
        ...(await recent.list()).map(({ domain }) => `/hosts/${domain}`),
      ];
      const urls = paths.map((path) => html`<url><loc>${site.baseUrl}${path}</loc></url>`);
      const { markup } = html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
      return keepable(`<?xml version="1.0" encoding="UTF-8"?>\n${markup}\n`, STATIC_SEC, SITEMAP_HEADERS);
    },
  });
