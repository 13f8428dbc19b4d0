import { AsyncResource } from 'node:async_hooks';
import dns from 'node:dns';

/** How many names are remembered; a process has few databases, facilitators and nodes. */
const MAX_NAMES = 100;

type LookedUp = (error: Error | null, ...addresses: readonly unknown[]) => void;

/**
 * Remembers the results of DNS lookups, and shares concurrent ones. Databases may be shut down together with a process.
 * It then reconnects to them, and its exit would wait for lookups that no name server answers.
 * @returns call it at shutdown: later connections use remembered addresses without a lookup
 */
export function rememberNames(): () => void {
  const lookup = dns.lookup as (...args: readonly unknown[]) => void;
  const known = new Map<string, Parameters<LookedUp>>();
  const asking = new Map<string, LookedUp[]>();
  let asks = true;
  const remembered = (...args: readonly unknown[]): void => {
    const [question, done] = [args.slice(0, -1), AsyncResource.bind(args.at(-1) as LookedUp)];
    const key = JSON.stringify(question);
    const found = asks ? undefined : known.get(key);
    const others = asking.get(key);
    if (found) process.nextTick(done, ...found);
    else if (others) others.push(done);
    else {
      lookup(...question, (...said: Parameters<LookedUp>) => {
        if (said[0] === null && known.size < MAX_NAMES) known.set(key, said);
        const all = asking.get(key) ?? [];
        asking.delete(key);
        for (const one of all) one(...said);
      });
      asking.set(key, [done]);
    }
  };
  dns.lookup = Object.assign(remembered, { __promisify__: dns.lookup.__promisify__ });
  return () => {
    asks = false;
  };
}
