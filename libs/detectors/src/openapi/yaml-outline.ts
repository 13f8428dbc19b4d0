import type { JsonObject } from '../json';

/** Text and lines looked at; a description that is longer has long shown what it is. */
const MAX_CHARS = 1_000_000;
const MAX_LINES = 20_000;

/** A key at the start of a line, with the scalar behind it: `openapi: "3.1.0"`, `  /lamps/{id}:`. */
const KEY = /^( {0,40})(?:"([^"]{1,300})"|'([^']{1,300})'|([A-Za-z0-9_$/.{}~-]{1,300})) *:(?: +(.{0,300}))?$/;

const METHOD = /^(?:get|put|post|delete|options|head|patch|trace|query)$/;

/**
 * What the lines of a block-style YAML text say about an API, as a document without its depths: root members, `info`,
 * the first server and the methods of each path. For texts that are too large to parse, or cut. Linear in the text.
 */
export function yamlOutline(source: string): JsonObject {
  const root: Record<string, JsonObject[string]> = {};
  const paths: Record<string, JsonObject> = {};
  const info: Record<string, string> = {};
  let [section, pathIndent, path] = ['', 0, ''];
  for (const line of source
    .slice(0, MAX_CHARS)
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/, MAX_LINES)) {
    if (line.length > 1_000) continue;
    if (section === 'servers' && !Array.isArray(root['servers'])) {
      const url = /^\s*-? *url: +(\S{1,2000})\s*$/.exec(line)?.[1];
      if (url !== undefined) root['servers'] = [{ url: scalar(url) }];
    }
    const [matched, indent = '', double, single, bare, rest = ''] = KEY.exec(line.trimEnd()) ?? [];
    const key = double ?? single ?? bare;
    if (matched === undefined || key === undefined || key === '__proto__') continue;
    if (indent === '') {
      section = key;
      pathIndent = 0;
      root[key] ??= key === 'paths' ? paths : key === 'info' ? info : rest === '' ? {} : scalar(rest);
    } else if (section === 'info') {
      if (key === 'title' || key === 'version') info[key] ??= scalar(rest);
    } else if (section === 'paths') {
      pathIndent ||= indent.length;
      if (indent.length === pathIndent && key.startsWith('/')) paths[(path = key)] = {};
      else if (indent.length > pathIndent && indent.length <= 2 * pathIndent && METHOD.test(key)) {
        paths[path] = { ...paths[path], [key]: {} };
      }
    }
  }
  return root;
}

/** A plain or quoted scalar without its quotes and trailing comment. */
function scalar(raw: string): string {
  const quoted = /^(["'])(.*?)\1/.exec(raw)?.[2];
  return quoted ?? raw.replace(/\s#.*$/, '').trim();
}
