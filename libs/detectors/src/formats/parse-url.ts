/** Longest text taken for a URL: a megabyte of `{` costs 0.2 s to percent-encode. Servers stop at some 8,000 bytes. */
const MAX_CHARS = 8_192;

/**
 * The URL, or undefined when the text is none. Not `URL.canParse`: on Node 20 it starts to answer false for hosts with
 * Latin-1 letters ("https://bücher.example/") once it is called often enough to be compiled.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  if (text.length > MAX_CHARS) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
