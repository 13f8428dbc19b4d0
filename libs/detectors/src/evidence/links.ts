import { headerValues, type Answer } from './exchange';

/** How much of a page is searched for links, because `<link>` belongs in the head. */
const HEAD_CHARS = 65_536;

/** A link of a page: its relations and media type in lower case, and its target as written, which may be relative. */
export interface Link {
  readonly rel: readonly string[];
  readonly type: string;
  readonly href: string;
}

/** The links of a page, first from `Link` headers (RFC 8288), then from `<link>` elements. */
export function linksOf(page: Answer): readonly Link[] {
  const header = headerValues(page, 'link').join(', ').slice(0, 8_192);
  const elements = page.body.slice(0, HEAD_CHARS).match(/<link\s[^<>]{1,1024}>/gi) ?? [];
  return [
    ...[...header.matchAll(/<([^<>]{1,2048})>([^<]{0,1024})/g)].map(([, target = '', parameters = '']) =>
      linkTo(target, parameters),
    ),
    ...elements.map((element) => linkTo(attribute(element, HREF), element)),
  ];
}

/** The targets of links with a relation. */
export function linkedBy(page: Answer, relation: string): readonly string[] {
  return linksOf(page).flatMap(({ rel, href }) => (rel.includes(relation) && href !== '' ? [href] : []));
}

function linkTo(target: string, attributes: string): Link {
  return {
    rel: attribute(attributes, REL).toLowerCase().split(/\s+/),
    type: attribute(attributes, TYPE).toLowerCase(),
    href: target.trim(),
  };
}

// In elements and in header parameters: quoted, or up to the end of an unquoted value.
const REL = /[\s;]rel\s*=\s*(?:"([^"]{1,2048})"|'([^']{1,2048})'|([^\s"'>;,]{1,2048}))/i;
const TYPE = /[\s;]type\s*=\s*(?:"([^"]{1,2048})"|'([^']{1,2048})'|([^\s"'>;,]{1,2048}))/i;
const HREF = /[\s;]href\s*=\s*(?:"([^"]{1,2048})"|'([^']{1,2048})'|([^\s"'>;]{1,2048}))/i;

/** Value of the first attribute of that name. */
function attribute(text: string, pattern: RegExp): string {
  const [, double, single, bare] = pattern.exec(` ${text}`) ?? [];
  return double ?? single ?? bare ?? '';
}
