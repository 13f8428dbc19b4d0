import { html, type Html, type Shown } from './html';

type Kind = 'h1' | 'h2' | 'h3' | 'ul' | 'ol' | 'p';

/** A paragraph, a heading or one item of a list. */
interface Block {
  readonly kind: Kind;
  readonly text: string;
}

/** How each kind of line begins. Every other line is text. */
const OPENINGS: readonly (readonly [opening: RegExp, kind: Kind])[] = [
  [/^# +/, 'h1'],
  [/^## +/, 'h2'],
  [/^#{3,6} +/, 'h3'],
  [/^ {0,3}[-*+] +/, 'ul'],
  [/^ {0,3}\d{1,3}[.)] +/, 'ol'],
];

const WRITTEN: Readonly<Record<Kind, (content: Shown) => Html>> = {
  h1: (content) => html`<h1>${content}</h1>`,
  h2: (content) => html`<h2>${content}</h2>`,
  h3: (content) => html`<h3>${content}</h3>`,
  p: (content) => html`<p>${content}</p>`,
  ul: (content) => html`<ul>${content}</ul>`, // prettier-ignore
  ol: (content) => html`<ol>${content}</ol>`, // prettier-ignore
};

/** `**strong**`, `code` between backticks, `[text](target)`. */
const MARK = /\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^[\]\n]+)\]\(([^()\s]+)\)/g;

/**
 * Headings, paragraphs, lists, strong text, code and links of Markdown (https://commonmark.org); everything else is shown
 * as the text it is, markup included.
 * @param hrefOf the address that a link leads to; undefined shows its text without a link
 */
export function markdownHtml(source: string, hrefOf: (target: string) => string | undefined): readonly Html[] {
  const blocks = blocksOf(source);
  const isList = ({ kind }: Block): boolean => kind === 'ul' || kind === 'ol';
  const written: Html[] = [];
  for (let index = 0; index < blocks.length;) {
    const block = blocks[index] as Block;
    const end = isList(block) ? blocks.findIndex(({ kind }, other) => other > index && kind !== block.kind) : index + 1;
    const group = blocks.slice(index, end < 0 ? blocks.length : end);
    const content = group.map(({ text }) => marked(text, hrefOf));
    written.push(WRITTEN[block.kind](isList(block) ? content.map((item) => html`<li>${item}</li>`) : content));
    index += group.length;
  }
  return written;
}

function blocksOf(source: string): readonly Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const line of source.split(/\r?\n/)) {
    const opening = OPENINGS.find(([pattern]) => pattern.test(line));
    const text = (opening ? line.replace(opening[0], '') : line).trim();
    const last = blocks.at(-1);
    if (text === '') isOpen = false;
    else if (opening === undefined && isOpen && last) blocks.splice(-1, 1, { ...last, text: `${last.text} ${text}` });
    else {
      blocks.push({ kind: opening?.[1] ?? 'p', text });
      isOpen = !opening?.[1].startsWith('h');
    }
  }
  return blocks;
}

function marked(text: string, hrefOf: (target: string) => string | undefined): readonly Shown[] {
  const shown: Shown[] = [];
  let end = 0;
  for (const { 0: whole, 1: strong, 2: code, 3: label = '', 4: target = '', index } of text.matchAll(MARK)) {
    shown.push(text.slice(end, index));
    end = index + whole.length;
    const href = hrefOf(target);
    if (strong !== undefined) shown.push(html`<strong>${strong}</strong>`);
    else if (code !== undefined) shown.push(html`<code>${code}</code>`);
    else shown.push(href === undefined ? label : html`<a href="${href}">${label}</a>`);
  }
  return [...shown, text.slice(end)];
}
