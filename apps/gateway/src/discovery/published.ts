import type { FastifyReply } from 'fastify';
import { contentTag, knowsTag } from '../http/entity-tag';

/** A document that is the same for everybody, made once. */
export interface Published {
  /** Octets, because the framework adds a charset to text and JSON. */
  readonly body: Buffer;
  /** Strong. */
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

const CACHED = 'public, max-age=3600';

export function published(
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Published {
  const body = Buffer.from(text);
  return {
    body,
    etag: contentTag(body),
    headers: { 'content-type': contentType, 'cache-control': CACHED, 'x-content-type-options': 'nosniff', ...headers },
  };
}

export function publishedJson(value: unknown, contentType = 'application/json'): Published {
  return published(contentType, JSON.stringify(value));
}

/** Answers with the document, or 304 to whoever has it (RFC 9110 section 13.1.2). */
export function sendPublished(reply: FastifyReply, { body, etag, headers }: Published): void {
  void reply.headers({ ...headers, etag });
  if (knowsTag(reply.request.headers['if-none-match'], etag)) void reply.status(304).send();
  else void reply.send(body);
}
