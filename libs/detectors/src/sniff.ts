export type BodyKind = 'empty' | 'html' | 'json' | 'text';

/**
 * What a body is, by its first characters. The content type lies in both directions in the field (JSON as octet-stream,
 * HTML as application/json), so the body decides.
 */
export function sniff(body: string): BodyKind {
  const start = body
    .replace(/^\uFEFF/, '')
    .slice(0, 2_048)
    .trimStart();
  if (start === '') return 'empty';
  if (/^<(?:!doctype|html|head|body|\?xml|!--|script|svg|title|meta|div)/i.test(start)) return 'html';
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  return 'text';
}
