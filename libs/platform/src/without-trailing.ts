/** The text without the run of `char` at its end, in one pass: a pattern such as `/\/+$/` tries every run in the text. */
export function withoutTrailing(text: string, char: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === char) end -= 1;
  return text.slice(0, end);
}
