import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';

/** Fifty megabytes of zeros in at most fifty kilobytes, per content coding. */
export const BOMBS = (() => {
  const nothing = Buffer.alloc(50_000_000);
  return [
    ['gzip', gzipSync(nothing)],
    ['deflate', deflateSync(nothing)],
    ['br', brotliCompressSync(nothing, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
  ] as const;
})();
