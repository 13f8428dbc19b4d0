import type { Files } from './fixture-host';

/** Attacks in text that a program displays: script, broken quotes, bidi, Markdown, terminal escapes, a shell. */
export const EVIL_TEXT = [
  `</script></pre></title><script>window.owned=1</script><img src=x onerror="window.owned=1">`,
  `"'><svg/onload=window.owned=1><a href="javascript:window.owned=1">x</a>`,
  '\u202Egnp.exe\u2066\u200F\u200B\u0000\u0085\uFEFF\uFFFE',
  '\u001B[2J\u001B[31mred\u001B]8;;https://evil.example.net\u0007link\u001B]8;;\u0007\u009B31m',
  '\n\n# owned\n\n```\n~~~\n`x` ![owned](https://evil.example.net/x.png) [owned](javascript:owned) <https://evil.example.net>',
  `'; echo owned; '$(echo owned)`,
].join(' ');

/** Text that is much too long to display. */
export const ENDLESS_TEXT = 'endless '.repeat(20_000);

/**
 * Copies of a fixture, each with `text` in one place of one document: after a value, so that the document still counts,
 * in place of it, and as a name. For documents that are not JSON, it is appended.
 */
export function withText(files: Files, text: string): readonly Files[] {
  return Object.entries(files).flatMap(([file, original]) => {
    if (!file.endsWith('.json')) return [{ ...files, [file]: `${original}\n${text}` }];
    const count = [...original.matchAll(/"/g)].length; // A document has no more strings than quotes.
    const edits = Array.from({ length: count }, (_, index) => [
      editText(original, index, (value) => `${value} ${text}`),
      editText(original, index, () => text),
    ]).flat();
    const named = JSON.stringify({ ...(JSON.parse(original) as object), [text]: text });
    return [...new Set([...edits, named])].map((edited) => ({ ...files, [file]: edited }));
  });
}

/** A copy of a fixture with `text` appended to every text of every document. */
export function withTextEverywhere(files: Files, text: string): Files {
  const behind = (_: string, member: unknown): unknown => (typeof member === 'string' ? `${member} ${text}` : member);
  return Object.fromEntries(
    Object.entries(files).map(([file, original]) => [
      file,
      file.endsWith('.json') ? JSON.stringify(JSON.parse(original, behind)) : `${original}\n${text}`,
    ]),
  );
}

/** A JSON document with its text number `index` edited; unchanged if there is no such text. */
function editText(json: string, index: number, edit: (value: string) => string): string {
  let seen = 0;
  const value: unknown = JSON.parse(json, (_, member: unknown) =>
    typeof member === 'string' && seen++ === index ? edit(member) : member,
  );
  return JSON.stringify(value);
}
