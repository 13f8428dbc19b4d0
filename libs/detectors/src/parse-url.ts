/**
 * The URL, or undefined when the text is none. Not `URL.canParse`: on Node 20 it starts to answer false for hosts with
 * Latin-1 letters ("https://bücher.example/") once it is called often enough to be compiled.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
