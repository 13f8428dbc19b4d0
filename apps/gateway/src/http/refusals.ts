/** Code and sentence of what HTTP itself refuses, by status (contract 2). */
const SENTENCES: Readonly<Record<number, readonly [code: string, error: string]>> = {
  400: ['bad_request', 'the request could not be read'],
  408: ['request_timeout', 'the request did not arrive in time'],
  413: ['body_too_large', 'the body must not be larger than 64 KiB'],
  414: ['path_too_long', 'the path is too long'],
  415: ['unsupported_media_type', 'send application/json'],
  431: ['headers_too_large', 'the request headers are too large'],
};

/** What exactly could not be read, by Fastify's code (https://fastify.dev/docs/latest/Reference/Errors/). */
const UNREADABLE: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'the path has a percent-encoding that is not UTF-8',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'the body is empty and must be JSON',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is not valid JSON',
};

/** `{ error, code }` of a status; undefined for one that HTTP does not refuse requests with. */
export function refusalOf(
  status: number,
  cause?: unknown,
): { readonly error: string; readonly code: string } | undefined {
  const sentence = SENTENCES[status];
  if (!sentence) return undefined;
  const [code, error] = sentence;
  return { error: (typeof cause === 'string' ? UNREADABLE[cause] : undefined) ?? error, code };
}
