import { AsyncResource } from 'node:async_hooks';
import dns from 'node:dns';

/** Names whose addresses are remembered: stores, facilitators and nodes are a handful. */
const MAX_NAMES = 100;

type LookedUp = (error: Error | null, ...addresses: readonly unknown[]) => void;

/**
 * Remembers what lookups said, and lets those that ask the same at once share one. Stores may be taken down at the moment at
 * which a process is told to end; its connections to them begin again then, and its exit waits for each lookup that no name
 * server answers.
 * @returns what makes all later connections go to addresses that are remembered, without a lookup
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
