import { inTurn } from '@app/platform';
import type { AuthorizationReader, Attempt, AuthorizationKey } from '@app/payments';
import type { PayerRepository, PayerStanding } from '@app/storage';
import { RequestError } from '../http/request-error';

export interface SolvencyDeps {
  readonly payers: Pick<PayerRepository, 'standing' | 'exclusively'>;
  /** Null without a configured node. Then only the facilitator checks balances. */
  readonly chain: Pick<AuthorizationReader, 'balanceOf'> | null;
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => Date;
}

/** The pause after one settlement that failed through the payer's fault. It doubles with each further one. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** Pauses in which running settlements may end. Until then their amount counts both as missing and as requested. */
const ROUNDS_MS: readonly number[] = [0, 150, 300, 600, 1_200];
/** Roughly how long one payment takes. A payer whose payments are taken one at a time waits this long. */
const ONE_PAYMENT_MS = 5_000;
const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 50;

/**
 * Checks, before any work, whether a payer can cover everything it is buying at the same time (behaviour 9.15): a
 * balance that covers each of many payments may not cover all of them. The ledger is shared, so the check covers all
 * gateways.
 */
export class Solvency {
  /** One check at a time in this process: each one holds a connection while it needs a second. */
  private readonly inTurn = inTurn();

  constructor(private readonly deps: SolvencyDeps) {}

  /**
   * How long a payer must wait before its next payment is taken, in milliseconds. Called before that payment has a row.
   */
  async waitMs(key: AuthorizationKey): Promise<number> {
    const standing = await this.deps.payers.standing(key);
    const isAlone = standing.failures === 0 || standing.open === 0n;
    return Math.max(pauseOf(standing, this.deps.now()), isAlone ? 0 : ONE_PAYMENT_MS);
  }

  /**
   * @param attempt in `working`, so that other checks count it
   * @param withdraw takes the attempt back, before the payer's next attempt is read
   * @returns whether it was withdrawn
   * @throws {RequestError} withdrawn: 429 `payer_must_wait`, or 503 if the balance or the payer's lock was not
   * available in time
   */
  async refuses(attempt: Attempt, withdraw: (reason: string) => Promise<void>): Promise<boolean> {
    const standing = await this.deps.payers.standing(attempt);
    const pauseMs = pauseOf(standing, this.deps.now());
    if (pauseMs > 0) {
      await withdraw('payer_must_wait');
      throw mustWait(pauseMs);
    }
    if (standing.open === 0n) return false;
    if (standing.failures === 0) return this.lacksFunds(attempt, withdraw);
    if (await this.hasOtherPayments(attempt, withdraw)) throw mustWait(ONE_PAYMENT_MS);
    return false;
  }

  /** Whether the payments in progress exceed the balance, so that this one was withdrawn. */
  private async lacksFunds(attempt: Attempt, withdraw: (reason: string) => Promise<void>): Promise<boolean> {
    const { chain, payers, pause } = this.deps;
    if (!chain) return false;
    for (const [round, pauseMs] of ROUNDS_MS.entries()) {
      if (pauseMs > 0) await pause(pauseMs);
      let short: boolean | undefined;
      await this.exclusively(attempt.payer, async () => {
        const { open, settling } = await payers.standing(attempt);
        const balance = await chain.balanceOf(attempt);
        if (balance === undefined) return;
        if (open + attempt.amount <= balance) short = false;
        else if (!settling || round === ROUNDS_MS.length - 1) {
          await withdraw('insufficient_funds');
          short = true;
        }
      });
      if (short !== undefined) return short;
    }
    return unknown(withdraw);
  }

  private async hasOtherPayments(attempt: Attempt, withdraw: (reason: string) => Promise<void>): Promise<boolean> {
    let alone: boolean | undefined;
    await this.exclusively(attempt.payer, async () => {
      alone = (await this.deps.payers.standing(attempt)).open === 0n;
      if (!alone) await withdraw('payer_must_wait');
    });
    return alone === undefined ? unknown(withdraw) : !alone;
  }

  private async exclusively(payer: string, work: () => Promise<void>): Promise<void> {
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      if (await this.inTurn(() => this.deps.payers.exclusively(payer, work))) return;
      await this.deps.pause(LOCK_PAUSE_MS);
    }
  }
}

/** Withdraws an attempt whose cover is unknown. The same payment may be sent again. */
async function unknown(withdraw: (reason: string) => Promise<void>): Promise<never> {
  await withdraw('facilitator_unavailable');
  throw new RequestError('facilitator_unavailable');
}

/** The rest of the pause after settlements that failed through the payer's fault, in milliseconds. */
function pauseOf({ failures, lastFailureAt }: PayerStanding, now: Date): number {
  if (failures === 0 || lastFailureAt === null) return 0;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  return lastFailureAt.getTime() + pauseMs - now.getTime();
}

/** The error for a payer who must wait (behaviour 9.15). */
export function mustWait(ms: number): RequestError {
  return new RequestError('payer_must_wait', undefined, { retryAfterSec: Math.ceil(ms / 1_000) });
}
