/** Extracts a name from a line; undefined if it has none. */
export type NameOf = (line: string) => string | undefined;

/** Possible names of the column or property, the most reliable first. */
const NAMES = ['domain', 'hostname', 'host', 'name', 'origin', 'url', 'site'] as const;

const SEPARATORS = [',', ';', '\t'] as const;

/**
 * The format of a list, determined from its first non-empty line: JSON objects or strings, a table with or without a
 * header (`1,example.com` is a ranked list), or one name per line.
 * @param isName whether a text is a host name; used to find the column of a table without a header
 * @returns `header` if that line contains no name
 */
export function formatOf(
  first: string,
  isName: (text: string) => boolean,
): { readonly nameOf: NameOf; readonly header: boolean } {
  if (/^\s*[{"[]/.test(first) && readJson(first) !== undefined) return { nameOf: nameInJson, header: false };
  const separator = SEPARATORS.find((one) => first.includes(one));
  if (separator === undefined) return { nameOf: (line) => line, header: isHeading(first) };
  const fields = fieldsOf(first, separator);
  const titled = NAMES.map((name) => fields.findIndex((field) => field.toLowerCase() === name)).find((at) => at >= 0);
  const column = titled ?? fields.findIndex(isName);
  return { nameOf: (line) => fieldsOf(line, separator)[column], header: titled !== undefined };
}

function isHeading(text: string): boolean {
  return NAMES.some((name) => name === text.trim().toLowerCase());
}

/** The fields of a line (RFC 4180, but without line breaks in fields), trimmed. */
function fieldsOf(line: string, separator: string): readonly string[] {
  if (!line.includes('"')) return line.split(separator).map((field) => field.trim());
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === '"' && quoted && line[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (char === '"') quoted = !quoted;
    else if (char === separator && !quoted) {
      fields.push(field.trim());
      field = '';
    } else field += char;
  }
  return [...fields, field.trim()];
}

function nameInJson(line: string): string | undefined {
  const value = readJson(line);
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const members = new Map(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member as unknown]));
  return NAMES.map((name) => members.get(name)).find((member) => typeof member === 'string');
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
