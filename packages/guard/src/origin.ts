/** The origin as reports and statements name it: without a leading `www.`, like host names in the service. */
export function statedOrigin(origin: string): string {
  return origin.replace(/^(https?:\/\/)(?:www\.)+/, '$1');
}
