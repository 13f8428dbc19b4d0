export type BodyKind = 'empty' | 'html' | 'json' | 'text';

/** How many characters of a body are examined; a page may start with a long license comment. */
const HEAD = 65_536;

/**
 * Elements that a page may start with (https://html.spec.whatwg.org/multipage/indices.html#elements-3), and custom
 * ones, whose names have a hyphen. Other names in angle brackets occur in texts for language models.
 */
const ELEMENTS = new Set(
  (
    'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col ' +
    'data datalist dd details dfn dialog div dl dt em embed fieldset figure font footer form frameset h1 h2 h3 h4 h5 h6 ' +
    'head header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript ' +
    'object ol optgroup option output p picture pre progress q s samp script search section select slot small source span ' +
    'strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr u ul var video wbr'
  ).split(' '),
);

/**
 * The kind of a body, by its first characters. Content types are often wrong (JSON as byte-stream, HTML as
 * application/json), so the body decides. Leading comments do not matter, because Markdown has them too.
 */
export function sniff(body: string): BodyKind {
  const head = body.slice(0, HEAD);
  const start = head.replace(/^(?:\s|<!--[\s\S]*?-->)*/, '');
  if (start === '') return head.trim() === '' ? 'empty' : 'html';
  if (/^<(?:!|\?xml)/i.test(start) || opensWithElement(start)) return 'html';
  return start.startsWith('{') || start.startsWith('[') ? 'json' : 'text';
}

function opensWithElement(start: string): boolean {
  const name = /^<\/?([a-z][a-z0-9-]{0,60})(?=[\s/>])/i.exec(start)?.[1]?.toLowerCase();
  return name !== undefined && (ELEMENTS.has(name) || name.includes('-'));
}
