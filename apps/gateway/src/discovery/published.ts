import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

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
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  return {
    body,
    etag,
    headers: { 'content-type': contentType, 'cache-control': CACHED, 'x-content-type-options': 'nosniff', ...headers },
  };
}

export function publishedJson(value: unknown, contentType = 'application/json'): Published {
  return published(contentType, JSON.stringify(value));
}

/** Answers with the document, or 304 to whoever has it (RFC 9110 section 13.1.2). */
export function sendPublished(reply: FastifyReply, { body, etag, headers }: Published): void {
  void reply.headers({ ...headers, etag });
  const known = reply.request.headers['if-none-match'];
  if (known === '*' || known?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
    void reply.status(304).send();
  else void reply.send(body);
}
