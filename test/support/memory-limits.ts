import type { LimitStore } from '@app/limits';
import { RateLimiterMemory, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';

/** A limit store in this process, and its limiters by name. */
export function memoryLimits(): LimitStore & { readonly limiters: ReadonlyMap<string, RateLimiterMemory> } {
  const limiters = new Map<string, RateLimiterMemory>();
  const texts = new Map<string, string>();
  return {
    limiters,
    limiter: (name, points, duration) => {
      const known = limiters.get(name) ?? new RateLimiterMemory({ keyPrefix: name, points, duration });
      limiters.set(name, known);
      return known as unknown as RateLimiterStoreAbstract;
    },
    texts: (name) => ({
      get: (key) => Promise.resolve(texts.get(`${name} ${key}`)),
      set: (key, text) => Promise.resolve(void texts.set(`${name} ${key}`, text)),
    }),
    close: () => undefined,
  };
}
