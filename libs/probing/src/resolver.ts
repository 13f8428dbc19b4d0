import { isNativeError } from 'node:util/types';
import { Resolver as CaresResolver } from 'node:dns/promises';
import type { FailureReason } from '@app/detectors';
import { ProbeFault } from './failure';

/** Resolves host names; this library only connects to addresses from here. */
export interface Resolver {
  /**
   * All A and AAAA addresses, in any order.
   * @throws ProbeFault `dns_nxdomain` (no such name, or no address), `dns_timeout` or `dns_failure`
   */
  resolve(host: string): Promise<readonly string[]>;
}

export interface DnsOptions {
  /** Name servers as `address[:port]`; by default those of the system. */
  readonly servers?: readonly string[];
  /** Timeout for both queries together, including retries. */
  readonly budgetMs: number;
}

/**
 * Queries name servers through c-ares. Unlike `dns.lookup`, it reads no hosts file, appends no search domain and does
 * not block the thread pool. Two tries of two seconds each, within the total time limit.
 */
export class DnsResolver implements Resolver {
  constructor(private readonly options: DnsOptions) {}

  async resolve(host: string): Promise<readonly string[]> {
    const cares = new CaresResolver({ timeout: 2_000, tries: 2 });
    if (this.options.servers) cares.setServers([...this.options.servers]);
    const timer = setTimeout(() => {
      cares.cancel();
    }, this.options.budgetMs);
    try {
      const answers = await Promise.allSettled([cares.resolve4(host), cares.resolve6(host)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length > 0) return addresses;
      throw new ProbeFault(
        worstOf(answers.flatMap((answer) => (answer.status === 'rejected' ? [reasonOf(answer.reason)] : []))),
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A name only counts as missing if both queries say so; if one is uncertain, the name is uncertain. */
function worstOf(reasons: readonly FailureReason[]): FailureReason {
  return (
    reasons.find((reason) => reason === 'dns_timeout') ?? reasons.find((r) => r === 'dns_failure') ?? 'dns_nxdomain'
  );
}

function reasonOf(error: unknown): FailureReason {
  const code = isNativeError(error) && 'code' in error ? error.code : undefined;
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'dns_nxdomain';
  return code === 'ETIMEOUT' || code === 'ECANCELLED' ? 'dns_timeout' : 'dns_failure';
}
