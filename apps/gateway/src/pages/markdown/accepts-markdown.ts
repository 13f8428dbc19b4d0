/** Whether an `Accept` header names `text/markdown`, and nothing it likes better (RFC 9110 section 12.5.1). */
export function prefersMarkdown(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('text/markdown')) return false;
  const ranges = accept.slice(0, 1_000).split(',').map(rangeOf);
  const markdown = ranges.find(({ type }) => type === 'text/markdown')?.quality ?? 0;
  return (
    markdown > 0 &&
    ranges.every(({ type, quality }) => !['text/html', 'application/json'].includes(type) || quality <= markdown)
  );
}

function rangeOf(range: string): { readonly type: string; readonly quality: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const stated = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = stated === undefined ? 1 : Number(stated);
  return { type, quality: Number.isNaN(quality) ? 0 : quality };
}
