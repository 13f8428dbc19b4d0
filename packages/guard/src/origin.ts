/** The origin that reports and statements about an origin name: without leading `www.`, as the service reads hosts. */
export function statedOrigin(origin: string): string {
  return origin.replace(/^(https?:\/\/)(?:www\.)+/, '$1');
}
