/** Whether `If-None-Match` names the tag: a list of tags, compared weakly, or any (RFC 9110 section 13.1.2). */
export function knowsTag(header: string | undefined, etag: string): boolean {
  if (header === undefined || header === etag) return header === etag;
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
