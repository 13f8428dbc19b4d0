import type { JsonObject, JsonValue } from '../json';

/** Text and lines looked at; a description that is longer has long shown what it is. */
const MAX_CHARS = 1_000_000;
const MAX_LINES = 20_000;

/** A key at the start of a line, with the scalar behind it: `openapi: "3.1.0"`, `  /lamps/{id}:`. */
const KEY = /^( {0,40})(?:"([^"]{1,300})"|'([^']{1,300})'|([A-Za-z0-9_$/.{}~-]{1,300})) *:(?: +(.{0,300}))?$/;

const METHOD = /^(?:get|put|post|delete|options|head|patch|trace|query)$/;

/** Longest line read, in characters. */
const MAX_LINE = 1_000;

/**
 * What the lines of a block-style YAML text say about an API, as a document without its depths: root members, `info`,
 * the first server and the methods of each path. For texts that are too large to parse, or cut. Linear in the text.
 */
export function yamlOutline(source: string): JsonObject {
  const outline = new OutlineReader();
  const lines = source
    .slice(0, MAX_CHARS)
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/, MAX_LINES);
  for (const line of lines) if (line.length <= MAX_LINE) outline.read(line);
  return outline.root;
}

/** A line that begins with a key. */
interface KeyLine {
  readonly indent: number;
  readonly key: string;
  /** The scalar behind it; empty when there is none. */
  readonly rest: string;
}

/** Reads line by line and knows no more of the text than the section it is in. */
class OutlineReader {
  readonly root: Record<string, JsonValue | undefined> = {};
  private readonly info: Record<string, string> = {};
  private readonly paths: Record<string, JsonObject> = {};
  private section = '';
  private path = '';
  /** Indent of the paths; 0 before the first. */
  private pathIndent = 0;

  read(line: string): void {
    if (this.section === 'servers' && !Array.isArray(this.root['servers'])) this.readServer(line);
    const found = keyLine(line);
    if (!found) return;
    if (found.indent === 0) this.enter(found);
    else if (this.section === 'info') this.readInfo(found);
    else if (this.section === 'paths') this.readPath(found);
  }

  private enter({ key, rest }: KeyLine): void {
    this.section = key;
    this.pathIndent = 0;
    this.root[key] ??= this.memberOf(key, rest);
  }

  private memberOf(key: string, rest: string): JsonValue {
    if (key === 'paths') return this.paths;
    if (key === 'info') return this.info;
    return rest === '' ? {} : scalar(rest);
  }

  private readServer(line: string): void {
    const url = /^\s*-? *url: +(\S{1,2000})\s*$/.exec(line)?.[1];
    if (url !== undefined) this.root['servers'] = [{ url: scalar(url) }];
  }

  private readInfo({ key, rest }: KeyLine): void {
    if (key === 'title' || key === 'version') this.info[key] ??= scalar(rest);
  }

  private readPath({ indent, key }: KeyLine): void {
    this.pathIndent ||= indent;
    if (indent === this.pathIndent && key.startsWith('/')) {
      this.path = key;
      this.paths[key] = {};
    } else if (indent > this.pathIndent && indent <= 2 * this.pathIndent && METHOD.test(key)) {
      this.paths[this.path] = { ...this.paths[this.path], [key]: {} };
    }
  }
}

function keyLine(line: string): KeyLine | undefined {
  const [, indent = '', double, single, bare, rest = ''] = KEY.exec(line.trimEnd()) ?? [];
  const key = double ?? single ?? bare;
  return key === undefined || key === '__proto__' ? undefined : { indent: indent.length, key, rest };
}

/** A plain or quoted scalar without its quotes and trailing comment. */
function scalar(raw: string): string {
  const quoted = /^(["'])(.*?)\1/.exec(raw)?.[2];
  return quoted ?? raw.replace(/\s#.*$/, '').trim();
}
