import { inTurn } from '@app/platform';
import type { AuthorizationReader, Attempt, AuthorizationKey } from '@app/payments';
import type { PayerRepository, PayerStanding } from '@app/storage';
import { RequestError } from '../http/request-error';

export interface SolvencyDeps {
  readonly payers: Pick<PayerRepository, 'standing' | 'exclusively'>;
  /** Null when no node is configured: then balances are the facilitator's business. */
  readonly chain: Pick<AuthorizationReader, 'balanceOf'> | null;
  readonly pause: (ms: number) => Promise<void>;
  readonly now: () => Date;
}

/** After one settlement that failed by the payer's fault; twice as long after each further one. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** Pauses in which settlements under way may end: until then their money is missing, and asked for, too. */
const ROUNDS_MS: readonly number[] = [0, 150, 300, 600, 1_200];
/** What one payment takes, more or less: until then another of its payer waits that pays in turn. */
const ONE_PAYMENT_MS = 5_000;
const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 50;

/**
 * Whether a payer can pay for what it buys at once, before any work (behaviour 9.15): a balance that is enough for each of
 * many payments is not enough for all. The ledger is shared, so it holds over all gateways.
 */
export class Solvency {
  /** One at a time in this process: each holds a connection while it needs another. */
  private readonly inTurn = inTurn();

  constructor(private readonly deps: SolvencyDeps) {}

  /** How long a payer must wait until another payment of it is taken, in milliseconds: asked before that has a row. */
  async waitMs(key: AuthorizationKey): Promise<number> {
    const standing = await this.deps.payers.standing(key);
    const isAlone = standing.failures === 0 || standing.open === 0n;
    return Math.max(pauseOf(standing, this.deps.now()), isAlone ? 0 : ONE_PAYMENT_MS);
  }

  /**
   * @param attempt in `working`, so that others see it
   * @param withdraw takes the attempt back; it is done before the next one of the payer is read
   * @returns whether it was withdrawn
   * @throws {RequestError} withdrawn: 429 `payer_must_wait`, 503 when the balance or the payer's lock cannot be had in time
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

  /** Whether the payments under way ask for more than the balance, and this one was withdrawn. */
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

/** Takes an attempt back of which nobody can say whether it is covered; the same payment may be sent again. */
async function unknown(withdraw: (reason: string) => Promise<void>): Promise<never> {
  await withdraw('facilitator_unavailable');
  throw new RequestError('facilitator_unavailable');
}

/** What is left of the pause of a payer whose settlements failed by its fault, in milliseconds. */
function pauseOf({ failures, lastFailureAt }: PayerStanding, now: Date): number {
  if (failures === 0 || lastFailureAt === null) return 0;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  return lastFailureAt.getTime() + pauseMs - now.getTime();
}

/** The refusal of a payer that must wait (behaviour 9.15). */
export function mustWait(ms: number): RequestError {
  return new RequestError('payer_must_wait', undefined, { retryAfterSec: Math.ceil(ms / 1_000) });
}
