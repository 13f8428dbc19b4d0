import { isObject, type JsonObject, type JsonValue } from '../json';

/** Levels kept: the root, `paths`, a path item and its operations, the members of an operation. */
const DEPTH = 5;

/** Members and items kept in all; real descriptions have a few thousand operations at most. */
const MAX_NODES = 20_000;

/** Text looked at; `info` and `paths` stand near the top of every description seen. */
const MAX_CHARS = 2_000_000;

/**
 * The upper levels of a JSON object text that is cut or too large to parse: what lies deeper is kept as an empty
 * object or array, and what was not read is missing. Undefined when the text is not a JSON object so far as it goes.
 * Linear in the text.
 */
export function jsonOutline(source: string): JsonObject | undefined {
  const outline = new OutlineReader(source.slice(0, MAX_CHARS).replace(/^\uFEFF/, '')).value(1);
  return isObject(outline) ? outline : undefined;
}

/** A recursive reader that stops quietly at the end of the text or at the first fault. */
class OutlineReader {
  private at = 0;
  private nodes = 0;
  /** Nothing more is read: the text ended, broke off or is too rich. */
  private done = false;

  constructor(private readonly source: string) {}

  value(level: number): JsonValue | undefined {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) this.done = true;
    const start = this.peek();
    if (this.done) return undefined;
    if (start === '"') return this.string();
    if (start !== '{' && start !== '[') return this.primitive();
    if (level > DEPTH) this.skip();
    else return start === '{' ? this.object(level) : this.array(level);
    return start === '{' ? {} : [];
  }

  private object(level: number): JsonObject {
    const members: [string, JsonValue][] = [];
    this.at += 1;
    while (!this.done && this.peek() !== '}') {
      if (this.peek() !== '"') this.done = true;
      const name = this.done ? undefined : this.string();
      if (this.peek() !== ':') this.done = true;
      this.at += 1;
      const value = this.value(level + 1);
      if (typeof name === 'string' && value !== undefined) members.push([name, value]);
      this.next('}');
    }
    this.at += 1;
    return Object.fromEntries(members);
  }

  private array(level: number): JsonValue[] {
    const items: JsonValue[] = [];
    this.at += 1;
    while (!this.done && this.peek() !== ']') {
      const value = this.value(level + 1);
      if (value !== undefined) items.push(value);
      this.next(']');
    }
    this.at += 1;
    return items;
  }

  /** Passes over an object or array, however deep, without building anything. */
  private skip(): void {
    let depth = 0;
    for (; this.at < this.source.length; this.at += 1) {
      const code = this.source.charCodeAt(this.at);
      if (code === 0x22) this.at = this.endOfString() - 1;
      else if (code === 0x7b || code === 0x5b) depth += 1;
      else if (code === 0x7d || code === 0x5d) depth -= 1;
      if (depth === 0) {
        this.at += 1;
        return;
      }
    }
    this.done = true;
  }

  private string(): JsonValue | undefined {
    const start = this.at;
    this.at = this.endOfString();
    return this.parsed(this.source.slice(start, this.at));
  }

  private primitive(): JsonValue | undefined {
    const token = /[^\s{}[\],:"]{1,64}/y;
    token.lastIndex = this.at;
    const found = token.exec(this.source)?.[0] ?? '';
    this.at += found.length;
    return this.parsed(found);
  }

  /** The value of a scalar token; one that touches the end of the text may have been cut and counts as unread. */
  private parsed(token: string): JsonValue | undefined {
    try {
      if (this.at < this.source.length) return JSON.parse(token) as JsonValue;
    } catch {
      // Not JSON from here on: the reading ends as if the text did.
    }
    this.done = true;
    return undefined;
  }

  /** Index behind the closing quote of the string that starts here; beyond the text when it was cut. */
  private endOfString(): number {
    for (let i = this.at + 1; i < this.source.length; i += 1) {
      const code = this.source.charCodeAt(i);
      if (code === 0x5c) i += 1;
      else if (code === 0x22) return i + 1;
    }
    return this.source.length + 1;
  }

  /** Passes the comma between two entries; anything but a comma or the closing bracket ends the reading. */
  private next(close: '}' | ']'): void {
    const sign = this.peek();
    if (sign === ',') this.at += 1;
    else if (sign !== close) this.done = true;
  }

  /** The next character that is not white space; ends the reading when there is none. */
  private peek(): string {
    while (' \t\r\n'.includes(this.source.charAt(this.at)) && this.at < this.source.length) this.at += 1;
    if (this.at >= this.source.length) this.done = true;
    return this.source.charAt(this.at);
  }
}
