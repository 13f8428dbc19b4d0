import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentSignatureHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { x402Client, wrapFetchWithPayment } from '@x402/fetch';
import { Database, LONGEST_HISTORY, OpenPaymentRepository, PaymentRepository } from '@app/storage';
import { requirementFor, type Attempt, type NewAttempt, type Lease } from '@app/payments';
import { startFaultyFacilitator, type FaultyFacilitator } from '../../../test/support/facilitator';
import { asMeta, callMessage, NATIVE, post, type RpcReply } from '../../../test/support/mcp';
import { offerOf } from '../../../test/support/offers';
import { fund, newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { deploySmartWallet } from '../../../test/support/smart-wallet';
import { freshDatabase } from '../../../test/support/stack';

const RECEIPT = { tx: `0x${'1'.repeat(64)}`, payTo: `0x${'1'.repeat(40)}`, amount: '1' };
const PATH = `/api/v1/receipts/${RECEIPT.tx}/verify?payTo=${RECEIPT.payTo}&amount=${RECEIPT.amount}`;
const FORGED = 200;

type Sent = { signature: string; authorization: Record<string, string> };

/** The payment with another signature, or with a changed member of its authorization. */
function changed(header: string, change: (sent: Sent) => void): string {
  const payment = structuredClone(decodePaymentSignatureHeader(header));
  change(payment.payload as unknown as Sent);
  return encodePaymentSignatureHeader(payment);
}

const made = (seed: number, bytes: number): string =>
  `0x${Array.from({ length: Math.ceil(bytes / 32) }, (_, part) =>
    createHash('sha256').update(`${seed} ${part}`).digest('hex'),
  )
    .join('')
    .slice(0, bytes * 2)}`;

/** Payments without their payer's signature: of any payer and nonce, under signatures of the lengths that keys, passkeys and multisigs have. */
const forged = (header: string, seed: number): string =>
  changed(header, (sent) => {
    sent.signature = made(seed, [65, 64, 66, 1, 640, 4_096][seed % 6]!);
    if (seed % 2 === 0) sent.authorization['from'] = made(seed, 20);
    sent.authorization['nonce'] = made(seed, 32);
  });

describe('a payment that cannot be accepted', () => {
  let facilitator: FaultyFacilitator;
  let service: Service;
  let database: Database;
  let payer: Payer;

  async function start(env: Readonly<Record<string, string>>): Promise<void> {
    service = await startService({
      worker: false,
      env: { X402_FACILITATOR_URL: facilitator.url, RATE_LIMIT_CHECKS_PER_MIN: '100000', ...env },
    });
    database = new Database(service.config.database.url);
  }
  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    await start({ RATE_LIMIT_REFUSED_PAYMENTS_PER_MIN: '100000' });
    payer = await newPayer(0n);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    await facilitator.close();
  });

  const pay = (header: string): Promise<Response> =>
    fetch(`${service.baseUrl}${PATH}`, { headers: { 'payment-signature': header } });
  const signed = async (by = payer): Promise<string> => signPayment(by, await fetch(`${service.baseUrl}${PATH}`));
  const verifications = (): number => facilitator.authorizations.filter((call) => call.startsWith('/verify')).length;
  const rows = async (table: 'payment_attempt' | 'payment_event'): Promise<number> =>
    Number((await database.pool.query<{ count: string }>(`SELECT count(*) FROM ${table}`)).rows[0]!.count);
  const stored = async (): Promise<readonly number[]> => [await rows('payment_attempt'), await rows('payment_event')];

  it('because its payer did not sign it leaves no row and does not reach a facilitator, however often it is sent', async () => {
    const header = await signed();
    const before = [...(await stored()), verifications()];
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: FORGED }, async (_, seed) => {
          const answer = await pay(forged(header, seed));
          return [answer.status, ((await answer.json()) as { code: string }).code];
        }),
      );
      const busy = answers.filter(([status]) => status === 503);
      // Only this many contracts are queried at once; a further payment cannot be verified.
      expect(new Set(busy.map(([, code]) => code)).size).toBeLessThanOrEqual(1);
      const others = answers.filter(([status]) => status !== 503);
      expect(others).toEqual(others.map(() => [402, 'invalid_exact_evm_signature']));
    }
    expect([...(await stored()), verifications()]).toEqual(before);
  });

  it('because it expired leaves no row either', async () => {
    const before = await stored();
    const ended = changed(await signed(), (sent) => (sent.authorization['validBefore'] = '1700000000'));
    expect(await (await pay(ended)).json()).toMatchObject({ code: 'authorization_expired' });
    expect(await stored()).toEqual(before);
  });

  it('because the wallet is empty has one row, which repetitions do not change', async () => {
    const header = await signed(await newPayer(0n));
    const code = 'invalid_exact_evm_insufficient_balance';
    expect(await (await pay(header)).json()).toMatchObject({ code });
    const once = await stored();
    for (let round = 0; round < 20; round += 1) expect(await (await pay(header)).json()).toMatchObject({ code });
    expect(await stored()).toEqual(once);
  });

  it('for now is accepted when the problem is solved', async () => {
    const late = await newPayer(0n);
    const header = await signed(late);
    expect((await pay(header)).status).toBe(402);
    await fund(late.account.address, 1_000_000n);
    expect((await pay(header)).status).toBe(200);
  });

  it('by a contract is refused, while one that the contract signed is accepted', async () => {
    const wallet = await deploySmartWallet();
    await fund(wallet.address, 1_000_000n);
    const signer = {
      address: wallet.address,
      signTypedData: (message: object) => wallet.signTypedData(message as never),
    };
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(signer));
    let header = '';
    const keeping: typeof fetch = (input, init) => {
      header = new Request(input, init).headers.get('payment-signature') ?? header;
      return fetch(input, init);
    };
    const [attempts] = await stored();
    expect((await wrapFetchWithPayment(keeping, client)(`${service.baseUrl}${PATH}`)).status).toBe(200);
    const other = changed(header, (sent) => (sent.authorization['nonce'] = made(1, 32)));
    expect(await (await pay(other)).json()).toMatchObject({ code: 'invalid_exact_evm_signature' });
    expect((await stored())[0]).toBe(attempts! + 1);
  });

  describe('more often than a caller is allowed', () => {
    const ALLOWED = 5;
    beforeAll(async () => {
      await database.close();
      await service.stop();
      await start({ RATE_LIMIT_REFUSED_PAYMENTS_PER_MIN: String(ALLOWED), TRUSTED_PROXIES: '127.0.0.1' });
    });
    afterEach(() => (facilitator.fault = 'none'));

    let callers = 0;
    /** Sends payments as a separate caller; returns the codes of the responses. */
    async function codesOf(send: (headers: Readonly<Record<string, string>>) => Promise<Response>): Promise<string[]> {
      callers += 1;
      const codes: string[] = [];
      for (let sent = 0; sent < ALLOWED + 2; sent += 1)
        codes.push(codeIn(await (await send({ 'x-forwarded-for': `192.0.2.${callers}` })).json()));
      return codes;
    }
    const codeIn = (body: unknown): string =>
      (body as { code?: string }).code ?? ((body as RpcReply['body']).result!.structuredContent['code'] as string);
    const ended = (code: string): string[] => [...Array<string>(ALLOWED).fill(code), 'rate_limited', 'rate_limited'];
    const get = (path: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`${service.baseUrl}${path}`, { headers });

    it('is not read any more: 429, even for a valid one', async () => {
      const header = await signed();
      const forge = (headers: object) => get(PATH, { ...headers, 'payment-signature': forged(header, 6) });
      expect(await codesOf(forge)).toEqual(ended('invalid_exact_evm_signature'));
      const sent = { 'payment-signature': await signed(await newPayer()), 'x-forwarded-for': `192.0.2.${callers}` };
      const good = await get(PATH, sent);
      expect([good.status, Number(good.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect((await get(PATH, { 'x-forwarded-for': `192.0.2.${callers}` })).status).toBe(402);
    });

    const calls = {
      'over HTTP': (headers: object, payment: string) => get(PATH, { ...headers, 'payment-signature': payment }),
      'over MCP': (headers: object, payment: string) =>
        post(service, callMessage('verify_receipt', RECEIPT, asMeta(payment)), { ...NATIVE, ...headers }),
    };
    it.each(Object.entries(calls))('is still read while it cannot be verified %s', async (_, send) => {
      facilitator.fault = 'verify_500';
      const codes = await codesOf(async (headers) => send(headers, await signed()));
      expect(codes).toEqual(Array(ALLOWED + 2).fill('facilitator_unavailable'));
    });

    it('is not read any more if it was sent in the other header or already bought something else', async () => {
      const payment = await signed(await newPayer());
      expect((await pay(payment)).status).toBe(200);
      const other = PATH.replace('amount=1', 'amount=2');
      expect(await codesOf((headers) => get(other, { ...headers, 'payment-signature': payment }))).toEqual(
        ended('payment_used_for_another_request'),
      );
      expect(await codesOf((headers) => get(PATH, { ...headers, 'x-payment': payment }))).toEqual(
        ended('payment_malformed'),
      );
    });

    it.each(Object.entries(calls))(
      'is neither stored nor verified while its payer must wait, for any caller %s',
      async (_, send) => {
        const empty = await newPayer(0n);
        facilitator.fault = ({ path }) => (path === '/verify' ? 'verify_waved' : 'settle_refused');
        expect((await pay(await signed(empty))).status).toBe(402);
        const before = [...(await stored()), verifications()];
        for (let caller = 0; caller < 3; caller += 1)
          expect(await codesOf(async (headers) => send(headers, await signed(empty)))).toEqual(
            ended('payer_must_wait'),
          );
        expect([...(await stored()), verifications()]).toEqual(before);
      },
    );
  });
});

describe('the ledger rows of payments that moved no money', () => {
  let database: Database;
  let ledger: PaymentRepository;
  let open: OpenPaymentRepository;
  let tooMany = 0;
  const lease = (): Lease => ({ owner: randomUUID(), forMs: 60_000 });
  const requirement = requirementFor(
    offerOf({ method: 'GET', resource: 'https://probe.example.com/a', route: { path: '/a', answer: {} } }),
    {
      network: 'eip155:8453',
      payTo: '0x1111111111111111111111111111111111111111',
    },
  );
  const claim = (): NewAttempt => ({
    network: 'eip155:8453',
    asset: requirement.asset.toLowerCase(),
    payer: '0x2222222222222222222222222222222222222222',
    nonce: `0x${randomBytes(32).toString('hex')}`,
    payTo: requirement.payTo,
    amount: 20_000n,
    validBefore: new Date(Date.now() + 120_000),
    sku: 'host_refresh',
    fingerprint: 'GET a ',
    resource: 'https://probe.example.com/a',
    payloadDigest: randomBytes(32).toString('hex'),
    paymentIdentifier: null,
    payment: { x402Version: 2, accepted: requirement, payload: {} },
    requirement,
  });

  beforeAll(async () => {
    database = new Database(await freshDatabase(), { secretsKeys: ['of this test only'] });
    const ignored = { reached: () => undefined, expired: () => undefined, unreadable: () => undefined };
    const listener = { ...ignored, surplus: () => void (tooMany += 1) };
    ledger = new PaymentRepository(database);
    open = new OpenPaymentRepository(database, listener);
  });
  afterAll(() => database.close());

  /** An attempt that ended this many minutes ago. */
  async function ended(state: string, verified: boolean, minutesAgo: number): Promise<string> {
    const held = lease();
    const { attempt } = await ledger.begin(claim(), held);
    if (verified) await ledger.move(attempt, held, 'working', { through: 'verified' });
    await database.pool.query(
      `UPDATE payment_attempt SET state = $2, lease_until = now() - interval '1 second', updated_at = now() - $3 * interval '1 minute' WHERE id = $1`,
      [attempt.id, state, minutesAgo],
    );
    return attempt.id;
  }
  const left = async (ids: readonly string[]): Promise<readonly boolean[]> =>
    Promise.all(ids.map(async (id) => (await ledger.find(id)) !== undefined));
  const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

  it('deletes unverified payments soon, verified ones later, and those that moved money never', async () => {
    const ids = [
      await ended('rejected', false, 90),
      await ended('work_failed', false, 90),
      await ended('rejected', false, 30),
      await ended('work_failed', true, 90),
      await ended('work_failed', true, 900),
      ...(await Promise.all(
        ['settled', 'settle_failed', 'settling', 'settle_unknown', 'answer_stored', 'received'].map((state) =>
          ended(state, true, 10_000),
        ),
      )),
    ];
    expect(await open.forgetUncharged({ unverified: ago(60), verified: ago(600), kept: 1_000 })).toBe(3);
    expect(await left(ids)).toEqual([false, false, true, true, false, true, true, true, true, true, true]);
    expect(tooMany).toBe(0);
  });

  it('keeps a limited number of the newest, and reports that there were more', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map((minutes) => ended('rejected', false, minutes)));
    await open.forgetUncharged({ unverified: ago(60), verified: ago(600), kept: 4 });
    expect(await left(ids)).toEqual([true, true, true, true, false, false]);
    expect(tooMany).toBe(1);
  });

  it('is limited at once after a flood', async () => {
    const id = await ended('rejected', false, 1);
    await database.pool.query(
      `INSERT INTO payment_attempt SELECT made.* FROM payment_attempt AS one, generate_series(1, 16554) AS n,
         jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(), 'nonce', n,
           'updated_at', now() - n * interval '1 millisecond')) AS made
       WHERE one.id = $1`,
      [id],
    );
    await open.forgetUncharged({ unverified: ago(60), verified: ago(600), kept: 4 });
    const { rowCount } = await database.pool.query(`SELECT FROM payment_attempt WHERE state = 'rejected'`);
    expect(rowCount).toBe(4);
  });

  it('keeps the answer of a failed settlement until the chain is final, and that of a successful one', async () => {
    const states = ['settle_failed', 'settled'] as const;
    for (const state of states) {
      const held = lease();
      let { attempt } = await ledger.begin(claim(), held);
      attempt = (await ledger.move(attempt, held, 'working', { through: 'verified' }))!;
      attempt = (await ledger.move(attempt, held, 'settling', { through: 'answer_stored', answer: { body: '{}' } }))!;
      attempt = (await ledger.move(attempt, held, state))!;
      await ledger.watch(attempt, false);
      expect((await ledger.find(attempt.id))?.answer).toEqual({ body: '{}' });
      await ledger.watch(attempt, true);
      expect((await ledger.find(attempt.id))?.answer).toEqual(state === 'settled' ? { body: '{}' } : null);
    }
  });

  it('deletes no history of a payment that may have moved money', async () => {
    const id = await ended('settled', true, 1);
    await expect(database.pool.query('DELETE FROM payment_event WHERE attempt_id = $1', [id])).rejects.toThrow(
      'append-only',
    );
  });

  it('records repeated restarts of a payment only up to a limit, but always its settlement', async () => {
    const held = lease();
    let attempt = (await ledger.begin(claim(), held)).attempt;
    let driver = held;
    for (let round = 0; round < LONGEST_HISTORY; round += 1) {
      await ledger.move(attempt, driver, 'work_failed', { reason: 'not_admitted' });
      driver = lease();
      let taken: Attempt | undefined;
      // A lease ends with the millisecond in which it is released.
      while (!taken) taken = await ledger.takeOver(attempt, driver, ['work_failed'], 'received');
      attempt = taken;
    }
    const working = await ledger.move(attempt, driver, 'working', { through: 'verified' });
    const settling = await ledger.move(working!, driver, 'settling', {
      through: 'answer_stored',
      answer: { body: '{}' },
    });
    await ledger.move(settling!, driver, 'settled', { settlement: { transaction: '0x1', network: 'n', payer: 'p' } });
    const { rows } = await database.pool.query<{ state: string }>(
      'SELECT state FROM payment_event WHERE attempt_id = $1 ORDER BY seq',
      [attempt.id],
    );
    expect(rows.slice(-3).map(({ state }) => state)).toEqual(['answer_stored', 'settling', 'settled']);
    expect(rows.length).toBeLessThanOrEqual(LONGEST_HISTORY + 4);
  });
});
