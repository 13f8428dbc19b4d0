import { Readable } from 'node:stream';
import { sendPublished } from '../http/published';
import { defineRoute } from '../routes/define-route';
import type { Responses } from '../routes/responses';
import { asset } from './page-files';
import {
  isHtml,
  refusedAsPage,
  refusedForNow,
  type PageDefinition,
  type PageDeps,
  type PageRequest,
} from './page-definition';
import { PAGES } from './page-registry';

/** The errors that any page can return. */
const PAGE_ERRORS: Responses = {
  429: refusedForNow('Too many requests.'),
  500: refusedAsPage('Internal error.'),
  503: refusedForNow('The database is unavailable.'),
};

export const pageRoutes = (tag: 'pages' | 'service') =>
  PAGES.filter((page) => (page.tag ?? 'pages') === tag).map(routeOf);

function routeOf(page: PageDefinition) {
  const { path, method = 'GET', tag = 'pages', answers, refused, render, ...said } = page;
  return defineRoute({
    ...said,
    tag,
    route: `${method} ${path as `/${string}`}`,
    description: `${said.summary}. Free; does not start a probe.`,
    answers: refused ? answers : { ...PAGE_ERRORS, ...answers },
    errors: refused ?? [],
    forPeople: !isForPrograms(page),
    takesForm: method === 'POST',
    handle: ({ pages }: { readonly pages: PageDeps }, _, request) => render(pages, request as PageRequest),
    send: async (reply, answer) => {
      if ('location' in answer) void reply.redirect(answer.location, answer.status);
      else if ('parts' in answer) void reply.headers(answer.headers).send(Readable.from(answer.parts));
      else await sendPublished(reply, answer);
    },
  });
}

/** Feeds, badges and the documents about the prober are for programs. */
function isForPrograms(page: PageDefinition): boolean {
  return page.refused !== undefined && !isHtml(page) && page.path !== asset.path;
}
