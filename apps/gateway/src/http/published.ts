import type { FastifyReply } from 'fastify';
import { coded, codedTag, codingFor } from './content-coding';
import { contentTag, knowsTag } from './entity-tag';
import type { AnswerReply } from './raw-reply';

/** An answer that is the same for every client. */
export interface Published {
  /** A Buffer if the media type has no charset, because the framework adds one to text. */
  readonly body: Buffer | string;
  /** A strong tag; missing if there is no reason to revalidate. */
  readonly etag?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** For answers that only one caller may see. */
export const PRIVATE = { 'cache-control': 'private, no-store' } as const;

const CACHED = 'public, max-age=3600';

export function published(
  contentType: string,
  text: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Published {
  const body = typeof text === 'string' ? Buffer.from(text) : text;
  return {
    body,
    etag: contentTag(body),
    headers: { 'content-type': contentType, 'cache-control': CACHED, 'x-content-type-options': 'nosniff', ...headers },
  };
}

export function publishedJson(value: unknown, contentType = 'application/json'): Published {
  return published(contentType, JSON.stringify(value));
}

/**
 * Builds an answer once for all clients.
 * @param shown the data that the page shows: the same object until it is read again
 * @param form distinguishes several answers about the same data
 */
export function onceOf(): (shown: object, make: () => Published, form?: string) => Published {
  const made = new WeakMap<object, Map<string, Published>>();
  return (shown, make, form = '') => {
    const forms = made.get(shown) ?? new Map<string, Published>();
    const page = forms.get(form) ?? make();
    made.set(shown, forms.set(form, page));
    return page;
  };
}

/** A body with this digest header must not be compressed. */
const DIGEST = 'repr-digest';
/** Media types that are worth compressing. */
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|x-ndjson))|^image\/svg/;

/**
 * Sends the document, or 304 to a client that already has it (RFC 9110 section 13.1.2). Text with a tag is compressed
 * as the client prefers. Resolves when it is sent.
 */
export async function sendPublished(reply: FastifyReply, { body, etag, headers }: Published): Promise<void> {
  const mayBeCoded = etag !== undefined && !(DIGEST in headers) && TEXT.test(headers['content-type'] ?? '');
  const { vary } = headers;
  void reply.headers(
    mayBeCoded ? { ...headers, vary: vary === undefined ? BY_CODING : `${vary}, ${BY_CODING}` } : headers,
  );
  if (etag === undefined) void reply.send(body);
  else await sendTagged(reply, body, etag, mayBeCoded);
}

const BY_CODING = 'Accept-Encoding';

/**
 * Sends a body with its tag, which includes the coding; the other headers are already set. Waits for the compression if
 * necessary.
 */
export function sendTagged(
  reply: AnswerReply,
  body: Buffer | string,
  etag: string,
  mayBeCoded: boolean,
): void | Promise<void> {
  const { headers } = reply.request;
  const coding = mayBeCoded ? codingFor(headers['accept-encoding'], body) : undefined;
  const tag = codedTag(etag, coding);
  if (knowsTag(headers['if-none-match'], tag)) {
    reply.removeHeader('content-type');
    reply.code(304);
    sendWithTag(reply, tag);
  } else if (coding === undefined) {
    sendWithTag(reply, tag, body);
  } else {
    const sendCoded = (ready: Buffer): void => {
      reply.header('content-encoding', coding);
      sendWithTag(reply, tag, ready);
    };
    const bytes = coded(body, etag, coding);
    if (Buffer.isBuffer(bytes)) sendCoded(bytes);
    else {
      return bytes.then(sendCoded, () => {
        sendWithTag(reply, etag, body);
      });
    }
  }
}

function sendWithTag(reply: AnswerReply, tag: string, body?: Buffer | string): void {
  reply.header('etag', tag);
  reply.send(body);
}
