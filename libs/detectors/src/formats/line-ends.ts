/** The text with every line end (CR LF, CR, LF) as a line feed: YAML, Markdown and event streams allow all three. */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
