import { describe, type Paths } from '../routes/operation';
import { errorResponses, type Responses } from '../routes/responses';
import { asset } from './assets';
import { refusedAsPage, refusedForNow, type PageDefinition } from './page-definition';
import { PAGES } from './registry';

/** Why any page may not be shown. */
const PAGE_ERRORS: Responses = {
  429: refusedForNow('Too many requests.'),
  500: refusedAsPage('A fault of the service.'),
  503: refusedForNow('The storage cannot be reached.'),
};

/** What programs read of the pages, by tag: feeds, badges, and what the service tells about its prober. */
export function pagePaths(tag: 'pages' | 'service'): Paths {
  return pathsOf(PAGES.filter((page) => (page.tag ?? 'pages') === tag && isForPrograms(page)));
}

/** Pages for people, and the files that they load. */
export function peoplePaths(): Paths {
  return pathsOf(PAGES.filter((page) => !isForPrograms(page)));
}

function isForPrograms({ path, refused, answers: { 200: answer } }: PageDefinition): boolean {
  const isPage = answer !== undefined && 'content' in answer && 'text/html' in (answer.content ?? {});
  return refused !== undefined && !isPage && path !== asset.path;
}

function pathsOf(pages: readonly PageDefinition[]): Paths {
  return describe(
    pages.map(({ method, tag = 'pages', answers, refused, ...said }) => ({
      ...{ ...said, tag, description: `${said.summary}. Free, and starts no probe.` },
      ...(method && { method: 'post' as const }),
      responses: { ...(refused ? errorResponses(...refused) : PAGE_ERRORS), ...answers },
    })),
  );
}
