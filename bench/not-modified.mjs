// A cached report that the caller already has: `npm run bench -- not-modified`.
import { measureReads } from './warm.mjs';

export const measure = () =>
  measureReads({ what: 'cached report, 304 (GET, 64 connections)', reference: 'bare Fastify 304', known: true });
