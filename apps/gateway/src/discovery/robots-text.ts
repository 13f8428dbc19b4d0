/** `/robots.txt` (RFC 9309): everything may be read; what costs money asks for it. */
export const ROBOTS_TEXT = `User-agent: *
Allow: /
`;
