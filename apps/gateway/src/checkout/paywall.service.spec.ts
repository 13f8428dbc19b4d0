import {
  challengeFor,
  readPaymentHeader,
  requirementFor,
  type Offer,
  type PayloadReading,
  type SellingTerms,
} from '@app/payments';
import { Random } from '../../../../test/support/paywall-world/random';
import { Scheduler, type Actor } from '../../../../test/support/paywall-world/scheduler';
import { World, type Weather } from '../../../../test/support/paywall-world/world';
import { RequestError } from '../http/request-error';
import { Paywall, type Work } from './paywall.service';
import { isSale, type Answer } from './release';
import { Settler, type SettlerDeps } from './settler';
import { SettlementReconciler } from './settlement-reconciler';
import { offerOf } from '../../../../test/support/offers';

const TERMS: SellingTerms = { network: 'eip155:8453', payTo: '0x1111111111111111111111111111111111111111' };
const RESOURCE = 'https://probe.example.com/api/v1/hosts/a.example.com/refresh';
const CALM: Weather = { verify: 'ok', work: 'ok', settle: 'ok', chain: 'ok', storage: 'ok' };
const LIVING: Actor = { dead: false, stepsToCrash: -1 };
const WORK_BUDGET_MS = 25_000;
const DAY_MS = 24 * 3_600_000;
/** Every answer is about this report. */
const REPORT = { domain: 'a.example.com', sha256: 'ab'.repeat(32) };
/** Time for work, settlement and margin: the lease of a request, and how long an authorization must stay valid. */
const NEEDED_MS = WORK_BUDGET_MS + 26_000;

const TODAY = offerOf({
  method: 'GET',
  resource: RESOURCE,
  route: { path: '/api/v1/hosts/:domain/refresh', answer: {} },
});

/** One buyer with one payment; the tests set what goes wrong. */
class Sale {
  private readonly scheduler = new Scheduler(new Random(1));
  readonly world = new World(this.scheduler, new Random(1));
  readonly unsigned: unknown[] = [];
  signer: SettlerDeps['signer'] = null;
  trust = false;
  /** How long the payer must wait, in milliseconds. */
  waitMs = 0;
  private readonly payload: PayloadReading;

  constructor(signedFor: Offer, validSec: number) {
    const authorization = {
      from: '0x2222222222222222222222222222222222222222',
      to: TERMS.payTo,
      value: signedFor.priceAtomic.toString(),
      validAfter: '0',
      validBefore: String(this.world.now / 1_000 + validSec),
      nonce: `0x${'ab'.repeat(32)}`,
    };
    const payload = { signature: `0x${'cd'.repeat(65)}`, authorization };
    const payment = { x402Version: 2, payload, accepted: requirementFor(signedFor, TERMS) };
    this.payload = readPaymentHeader(Buffer.from(JSON.stringify(payment)).toString('base64'), 2);
  }

  /** What the buyer receives, errors included; undefined if the gateway crashed first. */
  async ask(offered: Offer, weather: Weather = CALM, actor: Actor = LIVING): Promise<unknown> {
    let end: unknown;
    const asked = this.paywall(weather, actor)
      .answer(offered, this.payload, { admit: () => Promise.resolve(), work: () => this.work(weather, actor) })
      .catch((error: unknown) => error)
      .then((told) => (end = told));
    await this.scheduler.run([asked], [actor]);
    return end;
  }

  /** A pass of the reconciler without faults. */
  async reconcile(): Promise<void> {
    const now = (): Date => new Date(this.world.now);
    const exclusively = async (work: () => Promise<void>): Promise<boolean> => work().then(() => true);
    const reconciler = new SettlementReconciler({
      ledger: this.world.ledgerFor(LIVING, CALM),
      open: this.world.ledgerFor(LIVING, CALM),
      settler: this.settler(CALM, LIVING),
      exclusively,
      now,
      failed: () => undefined,
    });
    await this.scheduler.run([reconciler.pass()], [LIVING]);
  }

  private async work({ work }: Weather, actor: Actor): Promise<Work> {
    this.world.executions += 1;
    await this.scheduler.point(actor);
    if (work === 'fail') throw new Error('the work failed');
    return { content: { body: `answer ${this.world.executions}`, subject: REPORT }, charge: true };
  }

  private paywall(weather: Weather, actor: Actor): Paywall {
    const { world } = this;
    return new Paywall({
      terms: TERMS,
      ledger: world.ledgerFor(actor, weather),
      signatures: { isSigned: () => Promise.resolve(true) },
      facilitator: world.facilitatorFor(actor, weather),
      settler: this.settler(weather, actor),
      solvency: { waitMs: () => Promise.resolve(this.waitMs), refuses: () => Promise.resolve(false) },
      waiter: world.waiterFor(actor),
      challenge: (offered, reason) => Promise.resolve(challengeFor(offered, TERMS, reason)),
      unverified: () => undefined,
      workBudgetMs: WORK_BUDGET_MS,
      now: () => new Date(world.now),
    });
  }

  private settler(weather: Weather, actor: Actor): Settler {
    const { world, signer } = this;
    return new Settler({
      ledger: world.ledgerFor(actor, weather),
      facilitator: world.facilitatorFor(actor, weather),
      chain: world.chainFor(actor, weather),
      trust: this.trust,
      pause: () => this.scheduler.point(actor),
      signer,
      signed: new Set(['host_refresh']),
      unsigned: (error) => this.unsigned.push(error),
      now: () => new Date(world.now),
    });
  }
}

/** The code of the challenge or error that the buyer received, or the answer itself. */
function codeOf(end: unknown): string {
  if (end instanceof RequestError) return end.code;
  const answer = end as Answer;
  return isSale(answer) ? answer.body : answer.challenge.body.code;
}

describe('an authorization', () => {
  it('that would expire during the work starts none, even after a slow verification', async () => {
    const sale = new Sale(TODAY, NEEDED_MS / 1_000 + 5);
    expect(codeOf(await sale.ask(TODAY, { ...CALM, verify: 'slow' }))).toBe('authorization_too_short');
    expect([sale.world.executions, sale.world.transfers.size]).toEqual([0, 0]);
    expect(sale.world.attempts).toMatchObject([{ state: 'rejected', reason: 'authorization_too_short' }]);
  });
});

describe('a payer who must wait', () => {
  it.each<Partial<Weather>>([{}, { verify: 'bad' }, { verify: 'away' }, { work: 'fail' }])(
    'does not get a new payment verified, after %j',
    async (weather) => {
      const sale = new Sale(TODAY, 300);
      if (Object.keys(weather).length > 0) await sale.ask(TODAY, { ...CALM, ...weather });
      const before = [structuredClone(sale.world.attempts), sale.world.executions];
      sale.waitMs = 1_000;
      expect(codeOf(await sale.ask(TODAY))).toBe('payer_must_wait');
      expect([sale.world.attempts, sale.world.executions]).toEqual(before);
    },
  );

  it('still gets the answers to payments that were already started', async () => {
    const sale = new Sale(TODAY, 300);
    expect(await sale.ask(TODAY, CALM, { dead: false, stepsToCrash: 5 })).toBeUndefined();
    sale.waitMs = 1_000;
    sale.world.pass(NEEDED_MS);
    expect(codeOf(await sale.ask(TODAY))).toBe('answer 2');
    expect(await sale.ask(TODAY)).toMatchObject({ body: 'answer 2', subject: REPORT, replayed: true });
  });
});

describe('a receipt', () => {
  it('does not hold back a paid answer when signing fails', async () => {
    const sale = new Sale(TODAY, 300);
    const failure = new Error('too many open files');
    sale.signer = { receiptFor: () => Promise.reject(failure) };
    const first = await sale.ask(TODAY);
    expect(codeOf(first)).toBe('answer 1');
    expect(first).toMatchObject({
      replayed: false,
      settlement: { payer: '0x2222222222222222222222222222222222222222' },
    });
    expect(sale.unsigned).toEqual([failure]);
    expect(await sale.ask(TODAY)).toEqual({ ...(first as Answer), replayed: true, first: undefined });
  });
});

describe('an answer whose settlement was confirmed late', () => {
  it('can be fetched for a day after the confirmation', async () => {
    const sale = new Sale(TODAY, 300);
    const doubtful = await sale.ask(TODAY, { ...CALM, settle: 'landed_then_lost', chain: 'unreadable' });
    expect(codeOf(doubtful)).toBe('settlement_unknown');
    sale.world.pass(3 * DAY_MS);
    await sale.reconcile();
    sale.world.pass(DAY_MS - 1);
    expect(codeOf(await sale.ask(TODAY))).toBe('answer 1');
    sale.world.pass(1);
    expect(codeOf(await sale.ask(TODAY))).toBe('authorization_expired');
  });
});

describe('a payment at a price that is no longer offered', () => {
  const FORMER: Offer = { ...TODAY, priceAtomic: 15_000n };

  it('is joined while its work runs, and continued by the next request after its gateway crashed', async () => {
    const sale = new Sale(FORMER, 300);
    expect(await sale.ask(FORMER, CALM, { dead: false, stepsToCrash: 5 })).toBeUndefined();
    expect(sale.world.attempts).toMatchObject([{ state: 'working' }]);
    expect(codeOf(await sale.ask(TODAY))).toBe('payment_in_progress');
    sale.world.pass(NEEDED_MS);
    expect(codeOf(await sale.ask(TODAY))).toBe('answer 2');
    expect(sale.world.attempts).toMatchObject([{ state: 'settled', amount: 15_000n }]);
  });

  it.each<Partial<Weather>>([{ verify: 'bad' }, { verify: 'away' }, { work: 'fail' }])(
    'is refused if it ended without a charge: %j',
    async (weather) => {
      const sale = new Sale(FORMER, 300);
      await sale.ask(FORMER, { ...CALM, ...weather });
      expect(codeOf(await sale.ask(TODAY))).toBe('amount_mismatch');
      expect(sale.world.transfers.size).toBe(0);
    },
  );

  it('is refused if it was first presented too late', async () => {
    const sale = new Sale(FORMER, 300);
    expect(codeOf(await sale.ask(TODAY))).toBe('amount_mismatch');
    expect(sale.world.attempts).toEqual([]);
  });
});
