/**
 * The longest accepted URL, because percent-encoding a megabyte of `{` takes 0.2 s. Servers accept about 8,000 bytes.
 */
const MAX_CHARS = 8_192;

/**
 * The parsed URL, or undefined if it is invalid. It does not use `URL.canParse`, which on Node 20 starts to return
 * false for hosts with Latin-1 letters ("https://bücher.example/") once it is called often enough to be compiled.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  if (text.length > MAX_CHARS) return undefined;
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Names that never belong to a public host: RFC 6761 and 6762 (with its appendix G), RFC 7686 (onion), RFC 9476 (alt),
 * the reverse tree with home.arpa (RFC 8375), ICANN's reserved `internal` and never-delegated `home`, `corp`, `mail`,
 * and two that resolvers in clusters and distributions use. `example` is not in the list, because RFC 6761 section 6.5
 * wants applications to treat it like any other name.
 */
export const SPECIAL_USE: ReadonlySet<string> = new Set(
  'alt arpa corp home internal intranet invalid lan local localdomain localhost mail onion private svc test'.split(' '),
);
