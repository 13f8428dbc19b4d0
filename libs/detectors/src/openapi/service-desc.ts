import { headerValues, type Answer } from '../exchange';

/** Part of the home page looked at for links; `<link>` belongs into the head. */
const HEAD_CHARS = 65_536;

/**
 * URLs of API descriptions that a page links to with `rel="service-desc"` (RFC 8631), first from `Link` headers
 * (RFC 8288), then from `<link>` elements. As written, perhaps relative to the page.
 */
export function serviceDescLinks(page: Answer): readonly string[] {
  const header = headerValues(page, 'link').join(', ').slice(0, 8_192);
  const fromHeader = [...header.matchAll(/<([^<>]{1,2048})>([^<]{0,1024})/g)]
    .filter(([, , parameters = '']) => /;\s*rel\s*=\s*"?[^";,]*\bservice-desc\b/i.test(parameters))
    .map(([, target = '']) => target.trim());
  const elements = page.body.slice(0, HEAD_CHARS).match(/<link\s[^<>]{1,1024}>/gi) ?? [];
  const fromHtml = elements
    .filter((element) => /\brel\s*=\s*["']?[^"'>]{0,100}\bservice-desc\b/i.test(element))
    .map((element) => /\bhref\s*=\s*(?:"([^"]{1,2048})"|'([^']{1,2048})'|([^\s"'>]{1,2048}))/i.exec(element))
    .flatMap((href) => href?.[1] ?? href?.[2] ?? href?.[3] ?? []);
  return [...fromHeader, ...fromHtml];
}
