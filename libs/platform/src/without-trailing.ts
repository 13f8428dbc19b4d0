/**
 * Removes repetitions of `char` at the end of a text in one pass. A regular expression such as `/\/+$/` would try every
 * run in the text.
 */
export function withoutTrailing(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}
