import type { Challenge } from '@app/payments';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Product } from './define-product';
import { ChallengeCache } from './challenge-cache';

const PATH = '/api/v1/hosts/:domain/refresh';
const CHALLENGE = { header: 'h', text: '{}', body: { code: 'payment_required' } } as Challenge;

describe('a cached challenge', () => {
  let nowMs = 1;

  const ready = (product: object = {}, url = '/api/v1/hosts/shop.example.com/refresh') => {
    const challenges = new ChallengeCache({ error: () => undefined }, { now: () => nowMs });
    const request = { url, headers: {} } as FastifyRequest;
    challenges.note({ method: 'GET', path: PATH, ...product } as Product, request, CHALLENGE);
    return (asked = url) => challenges.find({ url: asked, headers: {} } as IncomingMessage);
  };

  it('is reused for less than half a second, for the same URL only', () => {
    const find = ready();
    expect(find()?.route).toBe(PATH);
    expect(find('/api/v1/hosts/other.example.com/refresh')).toBeUndefined();
    nowMs += 399;
    expect(find()).toBeDefined();
    nowMs += 2;
    expect(find()).toBeUndefined();
  });

  it('is not stored for checks, which count their callers, nor for bodies, queries and very long URLs', () => {
    expect(ready({ check: true })()).toBeUndefined();
    expect(ready({ method: 'POST' })()).toBeUndefined();
    expect(ready({}, '/api/v1/hosts/shop.example.com?refresh=1')()).toBeUndefined();
    expect(ready({}, `/api/v1/hosts/${'a'.repeat(300)}/refresh`)()).toBeUndefined();
  });
});
