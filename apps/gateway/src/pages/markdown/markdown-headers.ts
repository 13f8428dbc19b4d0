/** The same address answers in another form to whoever does not ask for this one. */
export const MARKDOWN_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/markdown; charset=utf-8',
  'x-content-type-options': 'nosniff',
  vary: 'Accept',
};
