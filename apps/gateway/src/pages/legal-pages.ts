import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { micromark } from 'micromark';
import { Html, html } from '../http/html';
import { rootAbove } from './layout/project-root';
import { definePage, type PageDefinition } from './page-definition';

/** The name of each page and of its Markdown file. */
const NAMES = ['terms', 'privacy', 'data-licence'] as const;

const TITLES: Readonly<Record<(typeof NAMES)[number], readonly [title: string, description: string]>> = {
  terms: ['Terms', 'What you get, what you pay for, and what is not allowed.'],
  privacy: ['Privacy', 'What data the service keeps about callers, buyers and hosts, and how to have it deleted.'],
  'data-licence': ['Data license', 'What you may do with reports and with the answers you bought.'],
};

/**
 * One page for each legal text of the operator. A missing file leaves its page out.
 * @throws if a file exists but cannot be read
 */
export function legalPages(directory = join(rootAbove(__dirname), 'legal')): readonly PageDefinition[] {
  const texts = NAMES.flatMap((name) => {
    const text = textIn(join(directory, `${name}.md`));
    return text === undefined ? [] : [{ name, text }];
  });
  const names = texts.map(({ name }) => name);
  return texts.map(({ name, text }) => legalPage(name, text, names));
}

function legalPage(name: (typeof NAMES)[number], file: string, served: readonly string[]): PageDefinition {
  const [title, description] = TITLES[name];
  const headed = file.startsWith('# ') ? file : `# ${title}\n${file}`;
  const [, heading = '', text = ''] = /^(<h1>.*?<\/h1>)\n*(.*)$/s.exec(markupOf(headed, served)) ?? [];
  return definePage({
    path: `/${name}`,
    operationId: name.replace('-', '_'),
    summary: title,
    content: ({ site }) => ({
      title,
      description,
      canonical: `${site.baseUrl}/${name}`,
      body: html`<header class="plain-head">${new Html(heading)}</header>
        <section class="prose">${new Html(text)}</section>`,
    }),
  });
}

/** Renders Markdown. HTML in the file is shown as text. A link to a page that is not served becomes plain text. */
function markupOf(markdown: string, served: readonly string[]): string {
  const [begin, ...links] = micromark(markdown).split('<a href="');
  return [begin, ...links.map((link) => linkOf(link, served))].join('');
}

/** Renders one link and the text after it. @param link the text after `<a href="` */
function linkOf(link: string, served: readonly string[]): string {
  const end = link.indexOf('</a>');
  const [label, rest] = [link.slice(link.indexOf('>') + 1, end), link.slice(end + '</a>'.length)];
  const href = hrefOf(link.slice(0, link.indexOf('"')), served);
  return href === undefined ? label + rest : `<a href="${href}">${label}</a>${rest}`;
}

/** Files link to each other by file name, pages by path. Undefined for a target that is not served. */
function hrefOf(target: string, served: readonly string[]): string | undefined {
  if (/^(?:https:\/\/|mailto:|\/(?!\/))/.test(target)) return target;
  const name = target.replace(/\.md$/, '');
  return served.includes(name) ? `/${name}` : undefined;
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export const LEGAL_PAGES = legalPages();
