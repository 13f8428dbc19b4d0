import type { JsonObject } from '../json';

/** Lines looked at; a description of more lines has long shown what it is. */
const MAX_LINES = 50_000;

/** A key at the start of a line, with the scalar behind it: `openapi: "3.1.0"`, `  /lamps/{id}:`. */
const KEY = /^( *)(?:"([^"]{1,300})"|'([^']{1,300})'|([A-Za-z0-9_$/.{}~-]{1,300})) *:(?: +(.{0,300}))?$/;

const METHOD = /^(?:get|put|post|delete|options|head|patch|trace|query)$/;

/**
 * What the lines of a block-style YAML text say about an API, as a document without its depths: root members, `info`,
 * the first server and the methods of each path. For texts that are too large to parse, or cut. Linear in the text.
 */
export function yamlOutline(source: string): JsonObject {
  const root: Record<string, JsonObject[string]> = {};
  const paths: Record<string, JsonObject> = {};
  const info: Record<string, string> = {};
  let [section, pathIndent, path, servers] = ['', 0, '', 0];
  for (const line of source.replace(/^\uFEFF/, '').split(/\r?\n/, MAX_LINES)) {
    if (line.length > 1_000) continue;
    if (section === 'servers' && servers === 0) {
      const url = /^\s*-? *url: +(\S{1,2000})\s*$/.exec(line)?.[1];
      if (url !== undefined) servers = setServer(root, url);
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

function setServer(root: Record<string, JsonObject[string]>, url: string): number {
  root['servers'] = [{ url: scalar(url) }];
  return 1;
}

/** A plain or quoted scalar without its quotes and trailing comment. */
function scalar(raw: string): string {
  const quoted = /^(["'])(.*?)\1/.exec(raw)?.[2];
  return quoted ?? raw.replace(/\s#.*$/, '').trim();
}
