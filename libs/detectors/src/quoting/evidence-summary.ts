import { defined } from '@app/objects';
import { mayShowKey } from './key-text';
import { mediaType, type Exchange } from '../evidence/exchange';
import type { JsonObject } from '../formats/json';
import { visible } from './tidy';

/** Characters of a body quoted in a report; the hash stands for the rest. */
const EXCERPT = 200;

/** Characters of a body read for keys: one that begins within the excerpt ends well within these. */
const READ_FOR_KEYS = 2_000;
/** An exchange that decided a cell whose own documents were not requested (`details.decidedBy`). */
export function pointerTo(exchange: Exchange): JsonObject {
  const { method, url, observedAt } = exchange;
  const came = exchange.kind === 'answer' ? { status: exchange.status } : { failure: exchange.reason };
  return { method, url: visible(url, 2_048), ...came, observedAt };
}

/**
 * What a report shows of one exchange (behaviour 4.3): enough to repeat the request and to compare the answer. The
 * excerpt is left out when the document leaks a private key; its hash stays.
 */
export function evidenceOf(exchange: Exchange, withholdExcerpt = false): JsonObject {
  const { method, url, requestBody, observedAt } = exchange;
  const redirects = exchange.redirects.map(({ status, location }) => ({ status, location: visible(location, 2_048) }));
  const asked = defined({
    method,
    url: visible(url, 2_048),
    requestBody: requestBody === undefined ? undefined : visible(requestBody, EXCERPT),
    redirects: redirects.length === 0 ? undefined : redirects,
    observedAt,
  });
  if (exchange.kind === 'failure') {
    const { reason, detail, certificate } = exchange;
    return {
      ...asked,
      ...defined({ failure: reason, failureDetail: detail, certificate: certificate && { ...certificate } }),
    };
  }
  return {
    ...asked,
    status: exchange.status,
    contentType: visible(mediaType(exchange), 100) || null,
    bytes: exchange.bytes,
    sha256: exchange.sha256,
    ...(exchange.truncated ? { truncated: true } : {}),
    excerpt:
      withholdExcerpt || mayShowKey(exchange.body.slice(0, READ_FOR_KEYS)) ? null : visible(exchange.body, EXCERPT),
  };
}
