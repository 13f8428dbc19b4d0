/** The maximum number of reported names; one shows already that the document is ambiguous. */
const MAX_REPORTED = 10;

interface Frame {
  /** Names seen so far; undefined in an array. */
  readonly names: Set<string> | undefined;
  readonly path: string;
  /** Whether the next string is a field name. */
  expectsName: boolean;
  name: string;
}

/**
 * Fields that occur twice in one object, as dotted paths. `JSON.parse` keeps the last one, other parsers the first (RFC
 * 8259 section 4), so such a document means different things to different agents. It makes one pass over the text,
 * which must have passed `readJson`; other texts give an arbitrary but harmless result.
 */
export function duplicateMembers(text: string): readonly string[] {
  const found = new Set<string>();
  const stack: Frame[] = [];
  for (let i = 0; i < text.length && found.size < MAX_REPORTED; i += 1) {
    const code = text.charCodeAt(i);
    const top = stack.at(-1);
    if (code === 0x22) {
      const end = stringEnd(text, i);
      if (top?.names && top.expectsName) noteName(top, top.names, decoded(text.slice(i, end + 1)), found);
      i = end;
    } else if (code === 0x7b || code === 0x5b) {
      const path = top?.names ? memberPath(top) : (top?.path ?? '');
      const isObject = code === 0x7b;
      stack.push({ names: isObject ? new Set() : undefined, path, expectsName: isObject, name: '' });
    } else if (code === 0x7d || code === 0x5d) stack.pop();
    else if (code === 0x2c && top?.names) top.expectsName = true;
  }
  return [...found];
}

function noteName(frame: Frame, names: Set<string>, name: string, found: Set<string>): void {
  frame.name = name;
  frame.expectsName = false;
  if (names.has(name)) found.add(memberPath(frame));
  names.add(name);
}

function memberPath(frame: Frame): string {
  const name = frame.name.slice(0, 100);
  return frame.path === '' ? name : `${frame.path}.${name}`.slice(-300);
}

/** Index of the quote that ends the string started at `start`, or the end of the text. */
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i += 1;
    else if (code === 0x22) return i;
  }
  return text.length;
}

/** `"\u0061"` and `"a"` are the same name. */
function decoded(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}
