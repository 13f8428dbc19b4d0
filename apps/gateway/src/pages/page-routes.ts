import { sendPublished } from '../http/published';
import { defineRoute } from '../routes/define-route';
import type { Responses } from '../routes/responses';
import { asset } from './page-files';
import { refusedAsPage, refusedForNow, type PageDefinition, type PageDeps, type PageRequest } from './page-definition';
import { PAGES } from './page-registry';

/** Why any page may not be shown. */
const PAGE_ERRORS: Responses = {
  429: refusedForNow('Too many requests.'),
  500: refusedAsPage('A fault of the service.'),
  503: refusedForNow('The storage cannot be reached.'),
};

/** The routes of the pages under a tag, in the order of the registry. */
export const pageRoutes = (tag: 'pages' | 'service') =>
  PAGES.filter((page) => (page.tag ?? 'pages') === tag).map(routeOf);

function routeOf(page: PageDefinition) {
  const { path, method = 'GET', tag = 'pages', answers, refused, render, ...said } = page;
  return defineRoute({
    ...said,
    tag,
    route: `${method} ${path as `/${string}`}`,
    description: `${said.summary}. Free, and starts no probe.`,
    answers: refused ? answers : { ...PAGE_ERRORS, ...answers },
    errors: refused ?? [],
    forPeople: !isForPrograms(page),
    takesForm: method === 'POST',
    handle: ({ pages }: { readonly pages: PageDeps }, _, request) => render(pages, request as PageRequest),
    send: async (reply, answer) => {
      if ('location' in answer) void reply.redirect(answer.location, answer.status);
      else await sendPublished(reply, answer);
    },
  });
}

/** Feeds, badges, and what the service tells about its prober. */
function isForPrograms({ path, refused, answers: { 200: answer } }: PageDefinition): boolean {
  const isPage = answer !== undefined && 'content' in answer && 'text/html' in (answer.content ?? {});
  return refused !== undefined && !isPage && path !== asset.path;
}
