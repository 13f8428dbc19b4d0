import { AsyncLocalStorage } from 'node:async_hooks';
import { HostName } from '@app/hosts';
import { type HostFacts } from '@app/reports';
import { statedRails } from '@app/signing';
import type {
  Guard,
  GuardOptions,
  PaymentRefused,
  RefusedCode,
  Warning,
} from '../../../../packages/guard/src/index.js';

/** The evidence that a payment is compared with. */
export type Source = 'statement' | 'probe';

/** A payment that an agent is about to sign. */
export interface AskedPayment {
  /** The URL that answered 402, after redirects. */
  readonly url: string;
  /** The entry of `accepts` that would be signed, of either version of x402. */
  readonly requirement: object;
  /** The resource that the 402 names. */
  readonly resource?: string | undefined;
}

export type Decision =
  | { readonly pay: true; readonly source: Source; readonly warnings: readonly Warning[] }
  | { readonly pay: false; readonly source: Source; readonly refused: PaymentRefused };

export interface CheckDeps {
  readonly maxUsd: number;
  /** The service whose statements are trusted; undefined if none is configured. */
  readonly issuer: string | undefined;
  readonly probe: (host: HostName) => Promise<HostFacts>;
}

interface Door {
  readonly source: Source;
  readonly guard: Guard;
}

/**
 * Decides as `packages/guard` does: from the statement of the service or, if there is no valid statement, from a
 * probe by this machine. Statements are cached until they expire, and probes for 15 minutes.
 */
export class PaymentCheck {
  /** The warnings of each running call. */
  private readonly told = new AsyncLocalStorage<Warning[]>();

  private constructor(
    private readonly doors: readonly Door[],
    private readonly isRefused: (error: unknown) => error is PaymentRefused,
    private readonly isUnbacked: (code: RefusedCode) => boolean,
  ) {}

  static async open({ maxUsd, issuer, probe }: CheckDeps): Promise<PaymentCheck> {
    const { guard, isPaymentRefused, isUnbacked } = await import('../../../../packages/guard/src/index.js');
    const doors: Door[] = [];
    const check = new PaymentCheck(doors, isPaymentRefused, isUnbacked);
    const onAllowed: NonNullable<GuardOptions['onAllowed']> = (_payment, warnings) => {
      check.told.getStore()?.push(...warnings);
    };
    if (issuer !== undefined) doors.push({ source: 'statement', guard: guard({ issuer, maxUsd, onAllowed }) });
    const rails: GuardOptions['probe'] = (origin) => railsAt(origin, probe);
    doors.push({ source: 'probe', guard: guard({ maxUsd, onAllowed, probe: rails }) });
    return check;
  }

  /** Signs nothing and pays nothing. */
  async decide(asked: AskedPayment): Promise<Decision> {
    let decision: Decision | undefined;
    for (const door of this.doors) {
      decision = await this.at(door, asked);
      if (decision.pay || !this.isUnbacked(decision.refused.code)) break;
    }
    if (!decision) throw new Error('nothing is known about this host');
    return decision;
  }

  /** Drops older results after a new probe of a host. */
  forget({ domain }: HostFacts): void {
    for (const { guard } of this.doors) guard.forget(`https://${domain}`);
  }

  private async at({ source, guard }: Door, { url, requirement, resource }: AskedPayment): Promise<Decision> {
    const warnings: Warning[] = [];
    const paymentRequired = { resource: { url: resource } };
    try {
      await this.told.run(warnings, () =>
        guard.within(url, async () => {
          const stopped = await guard.hook({ paymentRequired, selectedRequirements: requirement });
          if (stopped) throw new Error(stopped.reason); // the guard replaces this error with its own
        }),
      );
      return { pay: true, source, warnings };
    } catch (error) {
      if (!this.isRefused(error)) throw error;
      return { pay: false, source, refused: error };
    }
  }
}

/** The result of a probe from this machine; undefined for a host that is not public, has no https or is down. */
async function railsAt(origin: string, probe: CheckDeps['probe']) {
  const reading = HostName.parse(new URL(origin).hostname);
  if (!reading.ok || origin !== `https://${reading.host.ascii}`) return undefined;
  const facts = await probe(reading.host).catch(() => undefined);
  return facts && facts.reachable !== false ? statedRails(facts.paymentRails.rails) : undefined;
}
