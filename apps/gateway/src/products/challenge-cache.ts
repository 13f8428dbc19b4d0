import type { Challenge } from '@app/payments';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { CachedAnswer, CachedAnswers } from '../http/fast-path';
import type { AnswerReply } from '../http/raw-reply';
import type { Product } from './define-product';

/** What a challenge promises was asked a tenth of a second before at most, so that it is true of the last half second. */
const KEPT_MS = 400;
/** Their texts are shared with those that price the same; their addresses are bounded. */
const MAX_KEPT = 1_000;
const MAX_URL = 300;

/** With one of these, a request may be answered with something else. */
const DECIDING = ['authorization', 'payment-signature', 'sign-in-with-x', 'x-402-version', 'x-payment'];

/** Counts errors, as those that are answered elsewhere. */
export interface ErrorCount {
  error(status: number, code: unknown): void;
}

/**
 * The challenges that were just given to requests without payment and credential: the same request is answered the same
 * for {@link KEPT_MS}. They are bound to the request by its address, which is their key.
 */
export class ChallengeCache implements CachedAnswers {
  private readonly kept: LRUCache<string, CachedAnswer>;

  constructor(
    private readonly metrics: ErrorCount,
    clock: { now(): number } = performance,
  ) {
    this.kept = new LRUCache({ max: MAX_KEPT, ttl: KEPT_MS, ttlResolution: 0, perf: clock });
  }

  /** Keeps what a request was answered, where that is the same for the next one. */
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
