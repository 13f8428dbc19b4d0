import { response, validatedAnswer } from '../routes/responses';
import { ASSETS } from './layout/assets';
import { favicon } from './layout/favicon';
import { RequestError } from '../http/request-error';
import { text } from '../routes/json-schema';
import { textOf, type PageDefinition } from './page-definition';

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
