import type { Challenge } from '@app/payments';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { CachedAnswer, CachedAnswers } from '../http/fast-path';
import type { AnswerReply } from '../http/raw-reply';
import type { Product } from './define-product';

/**
 * How long a challenge is reused. The admission behind it is at most a tenth of a second older, so its promise is never
 * older than half a second.
 */
const KEPT_MS = 400;
/** The challenges of one price share their text, and the URLs are limited in length. */
const MAX_KEPT = 1_000;
const MAX_URL = 300;

/** With one of these headers, a request may get another answer. */
const DECIDING = ['authorization', 'payment-signature', 'sign-in-with-x', 'x-402-version', 'x-payment'];

/** Counts errors in the same metric as other error responses. */
export interface ErrorCount {
  error(status: number, code: unknown): void;
}

/**
 * Caches the challenges sent to requests without payment or credential: the same request gets the same answer for
 * {@link KEPT_MS}. The key is the URL, to which the challenge is bound.
 */
export class ChallengeCache implements CachedAnswers {
  private readonly kept: LRUCache<string, CachedAnswer>;

  constructor(
    private readonly metrics: ErrorCount,
    clock: { now(): number } = performance,
  ) {
    this.kept = new LRUCache({ max: MAX_KEPT, ttl: KEPT_MS, ttlResolution: 0, perf: clock });
  }

  /** Stores the challenge if the next request would get the same one. */
  note({ method, check, path }: Product, { url, headers }: FastifyRequest, challenge: Challenge): void {
    const isShared = method === 'GET' && !check && !url.includes('?') && url.length <= MAX_URL;
    if (!isShared || isAboutPayer(headers)) return;
    const text = Buffer.from(challenge.text);
    const send = (reply: AnswerReply): void => {
      this.metrics.error(402, challenge.body.code);
      reply.code(402);
      reply.header('cache-control', 'no-store');
      reply.header('payment-required', challenge.header);
      reply.header('content-type', 'application/json; charset=utf-8');
      reply.send(text);
    };
    this.kept.set(url, { route: path, send });
  }

  readonly find: CachedAnswers['find'] = ({ url = '', headers }) => {
    const ready = this.kept.get(url);
    return ready && !isAboutPayer(headers) ? ready : undefined;
  };
}

function isAboutPayer(headers: FastifyRequest['headers']): boolean {
  return DECIDING.some((name) => headers[name] !== undefined);
}
