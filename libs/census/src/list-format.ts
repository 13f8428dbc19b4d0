/** Reads the text of a name out of one line; undefined for a line that has none. */
export type NameOf = (line: string) => string | undefined;

/** What columns and members with names are called, the surest first. */
const NAMES = ['domain', 'hostname', 'host', 'name', 'origin', 'url', 'site'] as const;

const SEPARATORS = [',', ';', '\t'] as const;

/**
 * How a list is written, told by its first line that is not empty: JSON objects or strings, a table with or without a
 * header (`1,example.com` is a ranked list), or a name a line.
 * @param isName whether a text is the name of a host, which finds the column of a table without a header
 * @returns `header` when that line holds no name
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

/** Fields of a line (RFC 4180; none goes over several lines), without blanks around them. */
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
