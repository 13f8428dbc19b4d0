import { mediaType, type Exchange } from './exchange';
import type { JsonObject } from './json';
import { visible } from './tidy';

/** Characters of a body quoted in a report; the hash stands for the rest. */
const EXCERPT = 200;

/**
 * What a report shows of one exchange (contract 3): enough to repeat the request and to compare the answer. The
 * excerpt is left out when the document leaks a private key; its hash stays.
 */
export function evidenceOf(exchange: Exchange, withholdExcerpt = false): JsonObject {
  const asked: JsonObject = {
    method: exchange.method,
    url: visible(exchange.url, 2_048),
    ...(exchange.requestBody === undefined ? {} : { requestBody: visible(exchange.requestBody, EXCERPT) }),
    ...(exchange.redirects.length === 0
      ? {}
      : {
          redirects: exchange.redirects.map(({ status, location }) => ({ status, location: visible(location, 2_048) })),
        }),
    observedAt: exchange.observedAt,
  };
  if (exchange.kind === 'failure') {
    return { ...asked, failure: exchange.reason, ...(exchange.detail ? { failureDetail: exchange.detail } : {}) };
  }
  return {
    ...asked,
    status: exchange.status,
    contentType: visible(mediaType(exchange), 100) || null,
    bytes: exchange.bytes,
    sha256: exchange.sha256,
    ...(exchange.truncated ? { truncated: true } : {}),
    excerpt: withholdExcerpt ? null : visible(exchange.body, EXCERPT),
  };
}
