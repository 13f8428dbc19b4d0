import type { Operation } from './operation';
import type { Members } from './schema';

/**
 * The operation with a call of it for a shell: without a payment, with the examples of its path and of what it needs in
 * the query.
 * @param address with parameters as `{name}`
 */
export function withSample(
  operation: Operation,
  { method, address }: { readonly method: string; readonly address: string },
): Operation {
  const own = (operation.parameters ?? []).filter((one): one is Members => !('$ref' in one));
  const exampleOf = (one: Members): string | undefined =>
    typeof one['example'] === 'string' ? one['example'] : undefined;
  const path = own.reduce(
    (text, one) => text.replace(`{${String(one['name'])}}`, exampleOf(one) ?? `{${String(one['name'])}}`),
    address,
  );
  const query = own
    .filter((one) => one['in'] === 'query' && one['required'] === true)
    .map((one) => `${String(one['name'])}=${encodeURIComponent(exampleOf(one) ?? '')}`)
    .join('&');
  const target = quoted(query === '' ? path : `${path}?${query}`);
  const verb = method === 'get' ? [] : [`-X ${method.toUpperCase()}`];
  const source = ['curl -i', ...verb, target, ...bodyOf(operation)].join(' ');
  return { ...operation, 'x-codeSamples': [{ lang: 'Shell', label: 'curl', source }] };
}

function bodyOf({ requestBody }: Operation): readonly string[] {
  const content = requestBody?.['content'] as Readonly<Record<string, { readonly example?: unknown }>> | undefined;
  const example = content?.['application/json']?.example;
  if (example === undefined) return [];
  return ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(example))}`];
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w:/.@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
