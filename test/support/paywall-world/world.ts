import type {
  AuthorizationFate,
  AuthorizationQuery,
  AuthorizationReader,
  Attempt,
  AttemptState,
  Change,
  NewAttempt,
  Facilitator,
  Forgettable,
  Lease,
  OpenAttempts,
  PaymentLedger,
  SettlementOutcome,
  Verification,
} from '@app/payments';
import type { Random } from './random';
import type { Actor, Scheduler } from './scheduler';

/** `slow`: the facilitator answers when others may have taken over the attempt. */
type VerifyMode = 'ok' | 'bad' | 'away' | 'hang' | 'slow';
/** `slow`: longer than the lease may last, so that others take over the attempt. */
type WorkMode = 'ok' | 'fail' | 'free' | 'slow';
type SettleMode =
  | ('ok' | 'refused' | 'not_sent' | 'hang' | 'landed_then_lost' | 'landed_then_hang' | 'lands_later')
  /** Wrong answers: settled with an invented hash, without or after a transfer; refused, after or before a transfer. */
  | ('made_up' | 'wrong_hash' | 'refused_landed' | 'refused_lands_later');
type ChainMode = 'ok' | 'unreadable';
/** `cut`: sometimes the connection breaks before a statement, or between a statement and its answer. */
type StorageMode = 'ok' | 'cut';

/** The behavior of the environment during one request. */
export interface Weather {
  readonly verify: VerifyMode;
  readonly work: WorkMode;
  readonly settle: SettleMode;
  readonly chain: ChainMode;
  readonly storage: StorageMode;
}

/** The error of a statement whose connection breaks: it is unknown whether it was executed. */
export class StorageCut extends Error {}

interface Row {
  attempt: Attempt;
  owner: string;
  until: number;
  /** When its outcome is next checked on the chain; null if it is not. */
  watchAt: number | null;
  history: AttemptState[];
}

/** A block of this age can no longer vanish. */
const FINAL_AFTER_MS = 60_000;
const FIRST_WATCH_MS = 5_000;

/** The cost of a hanging facilitator: the caller's timeout, or that plus a pause of the process. */
const HANG_MS = [20_000, 20_000, 70_000] as const;

const DRIVEN: readonly AttemptState[] = ['working', 'settling'];
const SETTLEABLE: readonly AttemptState[] = ['answer_stored', 'settling', 'settle_unknown'];
const UNCHARGED: readonly AttemptState[] = ['rejected', 'work_failed'];
const UNANSWERED: readonly AttemptState[] = ['received', 'verified', 'working'];

/**
 * The environment of the paywall: a ledger with the guarantees of the real statements, a token contract that executes
 * an authorization at most once while it is valid, and a clock. The invariants are checked against the contract.
 */
export class World {
  now = Date.parse('2026-11-01T12:00:00Z');
  executions = 0;
  /** Who first presented the payment that the row is bound to. */
  firstClaimant: Actor | undefined;
  /** Whether any transfer was ever reverted. */
  reorganized = false;
  /** Transfers on the chain by nonce, with the time of their block. */
  readonly transfers = new Map<string, number>();
  readonly cancelled = new Set<string>();
  private readonly rows = new Map<string, Row>();
  private readonly later: { readonly at: number; readonly nonce: string; readonly validBefore: number }[] = [];

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
  ) {}

  get attempts(): readonly Attempt[] {
    return [...this.rows.values()].map((row) => row.attempt);
  }

  /** A block vanishes with its transfer, unless it is final; the transfer may return in a later block. */
  reorganize(): void {
    for (const [nonce, landed] of this.transfers) {
      if (landed <= this.now - FINAL_AFTER_MS) continue;
      this.transfers.delete(nonce);
      this.reorganized = true;
      const { validBefore } = this.rows.get(nonce)!.attempt;
      const again = { at: this.now + this.random.below(90_000), nonce, validBefore: validBefore.getTime() };
      if (this.random.chance(0.5)) this.later.push(again);
    }
  }

  historyOf(id: string): readonly AttemptState[] {
    return [...this.rows.values()].find((row) => row.attempt.id === id)?.history ?? [];
  }

  pass(ms: number): void {
    this.now += ms;
    for (const send of this.later.splice(0)) {
      if (send.at <= this.now) this.transfer(send.nonce, send.at < send.validBefore);
      else this.later.push(send);
    }
  }

  /** The token: transfers the money once, and only while the authorization is valid and not canceled. */
  private transfer(nonce: string, valid = true): boolean {
    if (!valid || this.cancelled.has(nonce) || this.transfers.has(nonce)) return false;
    this.transfers.set(nonce, this.now);
    return true;
  }

  ledgerFor(actor: Actor, { storage }: Pick<Weather, 'storage'>): PaymentLedger & OpenAttempts {
    const cut = (): void => {
      if (storage === 'cut' && this.random.chance(0.1)) throw new StorageCut();
    };
    const step = async <T>(effect: () => T): Promise<T> => {
      await this.scheduler.point(actor); // may crash before the statement
      cut();
      const result = effect();
      await this.scheduler.point(actor); // or after it, before the result arrives.
      cut();
      return result;
    };
    return {
      begin: (payment, lease) =>
        step(() => {
          const begun = this.begin(payment, lease);
          if (begun.owned) this.firstClaimant = actor;
          return begun;
        }),
      find: (id) => step(() => this.byId(id)?.attempt),
      findByAuthorization: ({ nonce }) => step(() => this.rows.get(nonce)?.attempt),
      due: (limit) => step(() => this.due().slice(0, limit)),
      closeExpired: (before) => step(() => this.closeExpired(before)),
      forgetUncharged: (which) => step(() => this.forgetUncharged(which)),
      move: (attempt, lease, to, change) => step(() => this.move(attempt, lease, to, change)),
      takeOver: (...taken) => step(() => this.takeOver(...taken)),
      rebind: (id, claim, lease) =>
        step(() => {
          const rebound = this.rebind(id, claim, lease);
          if (rebound && rebound !== 'bound') this.firstClaimant = actor;
          return rebound;
        }),
      watched: (limit) => step(() => this.watched().slice(0, limit)),
      watch: (attempt, over) =>
        step(() => {
          this.watch(attempt, over);
        }),
      revise: (attempt, to, change) => step(() => this.revise(attempt, to, change)),
    };
  }

  facilitatorFor(actor: Actor, weather: Weather): Pick<Facilitator, 'verify' | 'settle'> {
    return {
      verify: async (payment): Promise<Verification> => {
        await this.scheduler.point(actor);
        if (weather.verify === 'hang' || weather.verify === 'slow') this.pass(this.random.pick(HANG_MS));
        if (weather.verify === 'slow') await this.scheduler.stall(actor);
        if (weather.verify === 'away' || weather.verify === 'hang') throw new Error('no answer');
        if (isForged(payment)) return { ok: false, reason: 'invalid_exact_evm_payload_signature' };
        const nonce = nonceOf(payment);
        const spent = this.transfers.has(nonce) || this.cancelled.has(nonce);
        if (weather.verify === 'bad' || spent) return { ok: false, reason: 'invalid_exact_evm_nonce_already_used' };
        return { ok: true };
      },
      settle: async (payment): Promise<SettlementOutcome> => {
        await this.scheduler.point(actor);
        const nonce = nonceOf(payment);
        const validBefore = validBeforeOf(payment);
        const valid = this.now < validBefore;
        if (weather.settle === 'made_up') return { kind: 'settled', transaction: 'tx-made-up' };
        if (weather.settle === 'refused' || weather.settle === 'refused_landed') {
          if (weather.settle === 'refused_landed') this.transfer(nonce, valid);
          if (this.random.chance(0.5)) this.pass(this.random.pick(HANG_MS));
          await this.scheduler.point(actor); // others may take over the attempt and settle before it arrives
          return { kind: 'refused', reason: 'insufficient_funds' };
        }
        if (weather.settle === 'lands_later' || weather.settle === 'refused_lands_later') {
          this.later.push({ at: this.now + this.random.below(90_000), nonce, validBefore });
          if (weather.settle !== 'lands_later') return { kind: 'refused', reason: 'insufficient_funds' };
          return { kind: 'unknown', reason: 'settlement_pending' };
        }
        const sent = weather.settle !== 'not_sent' && weather.settle !== 'hang';
        const moved = sent && this.transfer(nonce, valid);
        if (weather.settle === 'hang' || weather.settle === 'landed_then_hang') this.pass(this.random.pick(HANG_MS));
        await this.scheduler.point(actor); // the money has moved; the process may crash before it knows
        if (weather.settle === 'wrong_hash' && moved) return { kind: 'settled', transaction: 'tx-of-another' };
        if (weather.settle !== 'ok') return { kind: 'unknown', reason: 'facilitator_gave_no_answer' };
        if (!moved) return { kind: 'unknown', reason: 'invalid_exact_evm_nonce_already_used' };
        return { kind: 'settled', transaction: `tx-${nonce}` };
      },
    };
  }

  chainFor(actor: Actor, weather: Weather): AuthorizationReader {
    return {
      fateOf: async (query: AuthorizationQuery): Promise<AuthorizationFate> => {
        await this.scheduler.point(actor);
        if (weather.chain === 'unreadable') return { kind: 'unreadable' };
        const landed = this.transfers.get(query.nonce);
        if (landed !== undefined) return { kind: 'settled', transaction: `tx-${query.nonce}`, block: BigInt(landed) };
        if (this.cancelled.has(query.nonce)) return { kind: 'void' };
        return { kind: 'unused', asOf: new Date(this.now) };
      },
      balanceOf: () => Promise.resolve(undefined),
      hasCode: () => Promise.resolve(undefined),
      finalBlock: async () => {
        await this.scheduler.point(actor);
        return weather.chain === 'unreadable' ? undefined : BigInt(this.now - FINAL_AFTER_MS);
      },
    };
  }

  waiterFor(actor: Actor): { waitForChange(seen: Attempt, timeoutMs: number): Promise<Attempt | undefined> } {
    return {
      waitForChange: async (seen) => {
        for (let probes = 0; probes < 6; probes += 1) {
          await this.scheduler.point(actor);
          const now = this.byId(seen.id)?.attempt;
          if (now && now.state !== seen.state) return now;
        }
        return undefined;
      },
    };
  }

  private begin(payment: NewAttempt, lease: Lease): { attempt: Attempt; owned: boolean } {
    const known = this.rows.get(payment.nonce);
    if (known) return { attempt: known.attempt, owned: false };
    const attempt: Attempt = {
      ...payment,
      id: `attempt-${payment.nonce}`,
      state: 'received',
      reason: null,
      answer: null,
      settlement: null,
      watched: false,
      createdAt: new Date(this.now),
      reachedAt: new Date(this.now),
    };
    const driven = { owner: lease.owner, until: this.now + lease.forMs, watchAt: null };
    this.rows.set(payment.nonce, { attempt, ...driven, history: ['received'] });
    return { attempt, owned: true };
  }

  private rebind(id: string, payment: NewAttempt, lease: Lease): Attempt | 'bound' | undefined {
    const row = this.byId(id);
    if (row?.history.includes('verified')) return 'bound';
    if (!row || row.until > this.now) return undefined;
    row.owner = lease.owner;
    row.until = this.now + lease.forMs;
    row.attempt = { ...row.attempt, ...payment };
    return this.enter(row, 'received', {});
  }

  private watched(): readonly Attempt[] {
    return [...this.rows.values()]
      .filter(({ watchAt }) => watchAt !== null && watchAt <= this.now)
      .map(({ attempt }) => attempt);
  }

  private watch({ id, state }: Attempt, over: boolean): void {
    const row = this.byId(id);
    if (row?.attempt.state !== state) return;
    const age = Math.max(FIRST_WATCH_MS, this.now - row.attempt.reachedAt.getTime());
    row.watchAt = over ? null : this.now + 2 * age;
    row.attempt = { ...row.attempt, watched: !over };
  }

  private revise(seen: Attempt, to: AttemptState, change: Change): Attempt | undefined {
    const row = this.byId(seen.id);
    if (row?.attempt.state !== seen.state || row.until > this.now) return undefined;
    return this.enter(row, to, change);
  }

  private move(seen: Attempt, lease: Lease, to: AttemptState, change: Change = {}): Attempt | undefined {
    const row = this.byId(seen.id);
    if (!row || row.attempt.state !== seen.state || row.owner !== lease.owner) return undefined;
    if (change.through) row.history.push(change.through);
    row.until = DRIVEN.includes(to) ? this.now + lease.forMs : this.now;
    return this.enter(row, to, change);
  }

  private takeOver(...[seen, lease, from, to, identifier]: Parameters<PaymentLedger['takeOver']>): Attempt | undefined {
    const row = this.byId(seen.id);
    if (row?.attempt.payloadDigest !== seen.payloadDigest) return undefined;
    if (!from.includes(row.attempt.state) || row.until > this.now) return undefined;
    if (identifier !== undefined) row.attempt = { ...row.attempt, paymentIdentifier: identifier };
    row.owner = lease.owner;
    row.until = this.now + lease.forMs;
    return this.enter(row, to, {});
  }

  private due(): readonly Attempt[] {
    return [...this.rows.values()]
      .filter(({ attempt, until }) => SETTLEABLE.includes(attempt.state) && until <= this.now)
      .map(({ attempt }) => attempt);
  }

  private closeExpired(before: Date): number {
    const ended = [...this.rows.values()].filter(
      ({ attempt, until }) =>
        UNANSWERED.includes(attempt.state) && until <= this.now && attempt.validBefore.getTime() < before.getTime(),
    );
    for (const row of ended) this.enter(row, 'work_failed', { reason: 'authorization_expired' });
    return ended.length;
  }

  private forgetUncharged({ unverified, verified, kept }: Forgettable): number {
    const ended = [...this.rows.entries()].filter(
      ([, { attempt, until }]) => UNCHARGED.includes(attempt.state) && until <= this.now,
    );
    const gone = ended.filter(([, { attempt, history }], age) => {
      const before = history.includes('verified') ? verified : unverified;
      return ended.length - age > kept || attempt.reachedAt.getTime() < before.getTime();
    });
    for (const [nonce] of gone) this.rows.delete(nonce);
    return gone.length;
  }

  private enter(row: Row, state: AttemptState, change: Change): Attempt {
    row.history.push(state);
    const watched = state === 'settled' || state === 'settle_failed';
    row.watchAt = watched ? this.now + FIRST_WATCH_MS : null;
    row.attempt = {
      ...row.attempt,
      state,
      watched,
      reason: change.reason ?? null,
      answer: change.answer ?? row.attempt.answer,
      settlement: change.settlement ?? row.attempt.settlement,
      reachedAt: new Date(this.now),
    };
    return row.attempt;
  }

  private byId(id: string): Row | undefined {
    return [...this.rows.values()].find((row) => row.attempt.id === id);
  }
}

/** A signature that the owner of the authorization did not make. */
export const FORGED = `0x${'00'.repeat(65)}`;

interface Signed {
  readonly signature: string;
  readonly authorization: { readonly nonce: string; readonly validBefore: string };
}
const nonceOf = (payment: { payload: unknown }): string =>
  (payment.payload as Signed).authorization.nonce.toLowerCase();
const validBeforeOf = (payment: { payload: unknown }): number =>
  Number((payment.payload as Signed).authorization.validBefore) * 1_000;
const isForged = (payment: { payload: unknown }): boolean => (payment.payload as Signed).signature === FORGED;
