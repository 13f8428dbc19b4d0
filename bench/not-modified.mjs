// A cached report that the caller has already: `npm run bench -- not-modified`.
import { measureReads } from './warm.mjs';

export const measure = () => measureReads(true, 'cached report, 304 (GET, 64 connections)', 'bare Fastify 304');
