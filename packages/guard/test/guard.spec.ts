import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { privateKeyToAccount } from 'viem/accounts';
import { guard } from '../src/guard.js';
import type { GuardOptions } from '../src/options.js';
import { isPaymentRefused } from '../src/payment-refused.js';
import { BUYERS, countingWallet } from './clients.js';
import { EVIL, HONEST, openIssuer, openShop, PRICE, railOf, USDC, type Issuer, type Shop } from './world.js';

let shop: Shop;
let issuer: Issuer;

beforeAll(async () => {
  [shop, issuer] = await Promise.all([openShop(), openIssuer()]);
});
afterAll(() => {
  shop.close();
  issuer.close();
});
beforeEach(() => {
  shop.served = {};
  issuer.asked.length = 0;
  issuer.statement = () => issuer.states(shop.origin);
});

const TERMS = { scheme: 'exact', network: 'eip155:8453', amount: `${PRICE}`, asset: USDC, payTo: HONEST };
const ORIGIN = 'https://shop.example.com';
const codeOf = (error: unknown): unknown => (isPaymentRefused(error) ? error.code : error);

/** Returns the guard's decision on a requirement for a URL: `allowed` with the warnings, or the code of the refusal. */
async function said(url: string, requirement: object, options: Partial<GuardOptions> = {}): Promise<string> {
  let warned: readonly string[] = [];
  const onAllowed: GuardOptions['onAllowed'] = (_payment, warnings) => (warned = warnings);
  const statement = (origin: string) => issuer.states(origin, { rails: [railOf(ORIGIN)] });
  const guarded = guard({ issuer: issuer.url, maxUsd: 1, statement, onAllowed, ...options });
  const context = { paymentRequired: {}, selectedRequirements: { ...TERMS, ...requirement } };
  const answer = await guarded.within(url, () => guarded.hook(context));
  return answer ? (/guard: (\w+)/.exec(answer.reason)?.[1] ?? answer.reason) : ['allowed', ...warned].join(' ');
}

const typedData = (message: object = {}, domain: object = {}, primaryType = 'TransferWithAuthorization') => ({
  primaryType,
  types: {},
  domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC, ...domain },
  message: { from: EVIL, to: HONEST, value: PRICE, validAfter: 0n, validBefore: 9n, nonce: '0x', ...message },
});

/** A guard, and a signer that returns `signed` when it is called. */
function armed(options: Partial<GuardOptions> = {}) {
  const statement = () => issuer.states(ORIGIN, { rails: [railOf(ORIGIN)] });
  const guarded = guard({ issuer: issuer.url, maxUsd: 1, statement, ...options });
  const signer = guarded.signer({ address: EVIL, signTypedData: (data: unknown) => Promise.resolve(data && 'signed') });
  const within = (work: () => Promise<unknown>) =>
    guarded.within(`${ORIGIN}/v1/quote`, work).catch((error: unknown) => codeOf(error));
  return { guarded, signer, within };
}

describe('a payment request of a host', () => {
  it.each([
    ['the resource that was probed, at its price', '/v1/quote', {}, 'allowed'],
    ['for less than the probe saw', '/v1/quote', { amount: '1' }, 'allowed'],
    ['another resource of the same payee', '/v1/report', { amount: '900000' }, 'allowed resource_unseen'],
    ['a query that makes it more expensive', '/v1/quote?n=2', { amount: '20001' }, 'price_increased'],
    ['an invalid amount', '/v1/quote', { amount: '-1' }, 'unreadable_requirement'],
    ['an amount with a point', '/v1/quote', { amount: '1.5' }, 'unreadable_requirement'],
    ['no payee', '/v1/quote', { payTo: undefined }, 'unreadable_requirement'],
    ['one millionth over the limit', '/v1/report', { amount: '1000001' }, 'above_limit'],
    ['exactly the limit', '/v1/report', { amount: '1000000' }, 'allowed resource_unseen'],
    ['the tool of an MCP server', '/v1/quote', { resource: 'mcp://tool/quote' }, 'allowed'],
    ['the same host over HTTP', '/v1/quote', { resource: 'http://shop.example.com/' }, 'allowed'],
  ])('%s', async (_name, path, requirement, expected) => {
    expect(await said(`${ORIGIN}${path}`, requirement)).toBe(expected);
  });

  it('treats host names case-insensitively, and another alphabet as another host', async () => {
    const statement = (origin: string) =>
      origin === ORIGIN ? issuer.states(ORIGIN, { rails: [railOf(ORIGIN)] }) : undefined;
    expect(await said('https://SHOP.Example.com/v1/quote', {}, { statement })).toBe('allowed');
    for (const host of [
      'shоp.example.com',
      'shop.еxample.com',
      'shop.example.com.evil.example',
      'shop.example.com:8443',
    ])
      expect(await said(`https://${host}/v1/quote`, {}, { statement })).toBe('no_statement');
  });

  it('can name an EVM account in any case, but a Solana account only exactly', async () => {
    const network = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
    const asset = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const to = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4';
    const rails = [railOf(ORIGIN), railOf(ORIGIN, { n: network, a: asset, to })];
    const statement = () => issuer.states(ORIGIN, { rails });
    const say = (requirement: object) => said(`${ORIGIN}/v1/quote`, requirement, { statement });
    expect(await say({ payTo: HONEST.toLowerCase(), asset: USDC.toLowerCase() })).toBe('allowed');
    expect(await say({ network, asset, payTo: to })).toBe('allowed');
    expect(await say({ network: 'solana', asset, payTo: to })).toBe('allowed');
    const letters = Array.from(to).flatMap((letter, at) => (/[a-z]/i.test(letter) ? [at] : []));
    for (const at of letters) {
      const letter = to[at]!;
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      expect(await say({ network, asset, payTo: `${to.slice(0, at)}${other}${to.slice(at + 1)}` })).toBe(
        'pay_to_differs',
      );
    }
  });
});

describe('a host without a statement', () => {
  const none = { statement: () => undefined };

  it('is refused unless the buyer allows unknown hosts, and then limited', async () => {
    expect(await said(`${ORIGIN}/v1/quote`, {}, none)).toBe('no_statement');
    expect(await said(`${ORIGIN}/v1/quote`, {}, { ...none, unknown: 'allow' })).toBe('allowed no_statement');
    expect(await said(`${ORIGIN}/v1/quote`, { amount: '2000000' }, { ...none, unknown: 'allow' })).toBe('above_limit');
  });

  it('is refused if its statement is forged, with any policy', async () => {
    const statement = () => issuer.states(ORIGIN, { iss: 'https://other.example.com' });
    expect(await said(`${ORIGIN}/v1/quote`, {}, { statement, unknown: 'allow' })).toBe('statement_refused');
  });

  it.each([
    ['does not answer', () => Promise.reject(new TypeError('fetch failed')), 'issuer_unreachable'],
    ['fails', () => new Response('', { status: 503 }), 'issuer_unreachable'],
    ['has its limit reached', () => new Response('', { status: 429 }), 'issuer_unreachable'],
    ['has no report', () => new Response('{"code":"host_not_probed"}', { status: 404 }), 'host_not_probed'],
    ['has an old report', () => new Response('{"code":"statement_expired"}', { status: 404 }), 'report_expired'],
    ['must not probe it', () => new Response('{"code":"opted_out"}', { status: 403 }), 'no_statement'],
    ['publishes no keys', () => new Response('{"keys":[1]}'), 'issuer_unreachable'],
  ])('is refused with its own code if the issuer %s', async (_name, answer, code) => {
    const request = () => Promise.resolve().then(answer);
    const asked = { statement: undefined as never, request };
    expect(await said(`${ORIGIN}/v1/quote`, {}, asked)).toBe(code);
    expect(await said(`${ORIGIN}/v1/quote`, {}, { ...asked, unknown: 'allow' })).toBe(`allowed ${code}`);
  });

  it('is refused with the cause: the error of the request or of the verification', async () => {
    const causeWith = async (options: Partial<GuardOptions>) => {
      const { signer, within, guarded } = armed(options);
      expect(await within(() => signer.signTypedData(typedData()))).toEqual(expect.any(String));
      return guarded
        .within(`${ORIGIN}/v1/quote`, () => signer.signTypedData(typedData()))
        .catch((error: unknown) => (error as Error).cause);
    };
    const failure = new TypeError('fetch failed');
    const request = () => Promise.reject(failure);
    expect(await causeWith({ statement: undefined as never, request })).toBe(failure);
    issuer.statement = () => 'slow';
    expect(await causeWith({ statement: undefined as never, timeoutMs: 50 })).toMatchObject({ name: 'TimeoutError' });
    expect(await causeWith({ statement: () => 'x.y.z' })).toMatchObject({ code: 'not_a_statement' });
  });

  it('cannot be paid if its statement has no options', async () => {
    const statement = () => issuer.states(ORIGIN, { rails: [] });
    expect(await said(`${ORIGIN}/v1/quote`, {}, { statement })).toBe('unknown_option');
    expect(await said(`${ORIGIN}/v1/quote`, {}, { statement, unknown: 'allow' })).toBe('unknown_option');
  });

  it('can be probed by the buyer', async () => {
    const probe = () => Promise.resolve([railOf(ORIGIN)]);
    expect(await said(`${ORIGIN}/v1/quote`, {}, { probe })).toBe('allowed');
    expect(await said(`${ORIGIN}/v1/quote`, { payTo: EVIL }, { probe })).toBe('pay_to_differs');
    expect(await said(`${ORIGIN}/v1/quote`, {}, { probe: () => Promise.resolve(undefined) })).toBe('no_statement');
  });
});

describe('a host whose name starts with www.', () => {
  const WWW = 'https://www.shop.example.com';
  it.each([
    ['a statement about the host', '/v1/quote', {}, 'allowed'],
    ['a more expensive resource', '/v1/quote', { amount: '20001' }, 'price_increased'],
    ['a resource of the host without www.', '/v1/quote', { resource: `${ORIGIN}/v1/quote` }, 'allowed'],
    ['another payee', '/v1/quote', { payTo: EVIL }, 'pay_to_differs'],
  ])('matches the host in reports: %s', async (_name, path, requirement, expected) => {
    const statement = () => issuer.states(ORIGIN, { rails: [railOf(ORIGIN)] });
    expect(await said(`${WWW}${path}`, requirement, { statement })).toBe(expected);
  });

  it('can have its own statement, which does not apply to the host without www', async () => {
    const statement = () => issuer.states(WWW, { rails: [railOf(WWW)] });
    expect(await said(`${WWW}/v1/quote`, {}, { statement })).toBe('allowed');
    expect(await said(`${ORIGIN}/v1/quote`, {}, { statement })).toBe('statement_refused');
  });
});

describe('a statement that contains only the hash of its options', () => {
  const reported = (count: number, reasons: readonly string[] = []) =>
    Array.from({ length: count }, (_, at) => ({
      protocol: 'x402',
      network: 'eip155:8453',
      asset: USDC,
      payTo: at === 0 ? HONEST : EVIL,
      amount: `${PRICE}`,
      resource: `${ORIGIN}/v1/quote`,
      httpMethod: 'GET',
      scheme: 'exact',
      reasons,
    }));
  const hash = (text: string) => createHash('sha256').update(text).digest('base64url');

  function published(text: string, uri = `${issuer.url}/report`, sha256 = hash(text)) {
    const listed = [railOf(ORIGIN), ...Array.from({ length: 4 }, () => railOf(ORIGIN, { to: EVIL }))];
    issuer.files['/report'] = text;
    const report = { uri, sha256, len: text.length };
    return () => issuer.states(ORIGIN, { report, rails: { sha256: hash(JSON.stringify(listed)), n: 5 } });
  }

  const text = (rails: readonly object[]) => JSON.stringify({ paymentRails: { rails } });

  it('is valid with the report whose options passed every check', async () => {
    const statement = published(text([...reported(5), ...reported(1, ['payto_invalid'])]));
    expect(await said(`${ORIGIN}/v1/quote`, {}, { statement })).toBe('allowed');
  });

  it('is refused with another report, with other options, or with a report at another URL', async () => {
    const say = (statement: () => string) => said(`${ORIGIN}/v1/quote`, {}, { statement });
    expect(await say(published(text(reported(5)), undefined, hash('another')))).toBe('statement_refused');
    expect(await say(published(text(reported(6))))).toBe('statement_refused');
    expect(await say(published(text(reported(5)), 'https://other.example.com/report'))).toBe('statement_refused');
  });

  it('counts as missing while its report cannot be read', async () => {
    const statement = published(text(reported(5)), `${issuer.url}/nothing`);
    expect(await said(`${ORIGIN}/v1/quote`, {}, { statement })).toBe('issuer_unreachable');
  });
});

describe('a signer', () => {
  it('signs payments confirmed by a statement, also without a hook', async () => {
    const { signer, within } = armed();
    expect(await within(() => signer.signTypedData(typedData()))).toBe('signed');
    expect(await within(() => signer.signTypedData(typedData({ to: EVIL })))).toBe('pay_to_differs');
    expect(await within(() => signer.signTypedData(typedData({ value: PRICE + 1n })))).toBe('price_increased');
  });

  it('signs nothing outside a guarded call', async () => {
    const { signer, guarded } = armed();
    await expect(signer.signTypedData(typedData())).rejects.toMatchObject({ code: 'not_guarded_fetch' });
    expect(await guarded.hook({ paymentRequired: {}, selectedRequirements: TERMS })).toMatchObject({ abort: true });
  });

  it('signs a payment allowed by the hook once', async () => {
    const { signer, within, guarded } = armed();
    const hook = () => guarded.hook({ paymentRequired: {}, selectedRequirements: TERMS });
    expect(await within(() => hook().then(() => signer.signTypedData(typedData())))).toBe('signed');
    const twice = async () => {
      await hook();
      await signer.signTypedData(typedData());
      return signer.signTypedData(typedData());
    };
    expect(await within(twice)).toBe('nothing_allowed');
    expect(await within(() => hook().then(() => signer.signTypedData(typedData({ to: EVIL }))))).toBe(
      'signs_something_else',
    );
  });

  it('signs nothing after a payment was refused in the same call', async () => {
    const { signer, within, guarded } = armed();
    const refused = async () => {
      await guarded.hook({ paymentRequired: {}, selectedRequirements: { ...TERMS, payTo: EVIL } });
      return signer.signTypedData(typedData());
    };
    expect(await within(refused)).toBe('pay_to_differs');
  });

  it('signs nothing else, such as an allowance, a voucher or a message', async () => {
    const { signer, within } = armed({ permit2: true });
    const kinds = fc.string().filter((kind) => kind !== 'TransferWithAuthorization');
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(kinds, fc.constantFrom('Permit', 'ReceiveWithAuthorization', 'PermitSingle')),
        async (kind) => {
          expect(await within(() => signer.signTypedData(typedData({}, {}, kind)))).toBe('signs_something_else');
        },
      ),
    );
  });

  it('signs Permit2 only if enabled, for the x402 contracts, the recipient and Permit2 itself', async () => {
    const [exact, permit2] = [
      '0x402085c248EeA27D92E8b30b2C58ed07f9E20001',
      '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    ];
    const message = { permitted: { token: USDC, amount: PRICE }, spender: exact, witness: { to: HONEST } };
    const data = (more: object = {}, contract = permit2) =>
      typedData({ ...message, ...more }, { verifyingContract: contract }, 'PermitWitnessTransferFrom');
    const say = (signed: object, options: Partial<GuardOptions> = { permit2: true }) => {
      const { signer, within } = armed(options);
      return within(() => signer.signTypedData(signed));
    };
    expect(await say(data())).toBe('signed');
    expect(await say(data(), {})).toBe('signs_something_else');
    expect(await say(data({ spender: EVIL }))).toBe('signs_something_else');
    expect(await say(data({}, EVIL))).toBe('signs_something_else');
    expect(await say(data({ witness: { to: EVIL } }))).toBe('pay_to_differs');
    expect(await say(data({ permitted: { token: USDC, amount: PRICE * 2n } }))).toBe('price_increased');
  });

  it('signs the checked data, even if it changes meanwhile', async () => {
    const signed: unknown[] = [];
    const { guarded } = armed();
    const signer = guarded.signer({ signTypedData: (data: unknown) => Promise.resolve(signed.push(data)) });
    const data = typedData();
    const pay = () => {
      const signing = signer.signTypedData(data);
      data.message.to = EVIL;
      return signing;
    };
    await guarded.within(`${ORIGIN}/v1/quote`, pay);
    expect(signed).toMatchObject([{ message: { to: HONEST } }]);
  });

  it('keeps class, address and read methods of the wallet, and blocks other ways to sign', async () => {
    class Wallet {
      readonly address = EVIL;
      readonly #key = privateKeyToAccount(`0x${'11'.repeat(32)}`);
      readContract = () => 'read';
      sendTransaction = () => Promise.resolve('sent');
      toSigner() {
        return this.#key;
      }
    }
    const { guarded } = armed();
    const wallet = guarded.signer(new Wallet());
    expect(wallet).toBeInstanceOf(Wallet);
    expect([wallet.address, wallet.readContract()]).toEqual([EVIL, 'read']);
    const open = [
      wallet.sendTransaction(),
      wallet.toSigner().signMessage({ message: 'pay' }),
      wallet.toSigner().signTransaction({ type: 'eip1559', chainId: 8453 }),
      wallet.toSigner().sign({ hash: `0x${'00'.repeat(32)}` }),
      wallet.toSigner().signAuthorization({ chainId: 8453, nonce: 0, address: EVIL }),
    ];
    expect((await Promise.allSettled(open)).map(({ status }) => status)).toEqual(open.map(() => 'rejected'));
  });
});

describe('a client that sends the request again between check and signature', () => {
  /** The flow of a tool that a model calls: it checks the option that the model chose, asks again and signs what comes. */
  async function retried(second: Shop['served']): Promise<unknown> {
    const wallet = countingWallet();
    const guarded = guard({ issuer: issuer.url, maxUsd: 1 });
    const url = `${shop.origin}/v1/quote`;
    const first = await fetch(url);
    await first.text();
    shop.served = second;
    const { x402Client, wrapFetchWithPayment } = await import('@x402/fetch');
    const { registerExactEvmScheme } = await import('@x402/evm/exact/client');
    const client = new x402Client();
    registerExactEvmScheme(client, { signer: guarded.signer(wallet) });
    const answer = await guarded.within(url, () => wrapFetchWithPayment(fetch, client)(url)).catch(codeOf);
    return [answer instanceof Response ? answer.status : answer, wallet.signed.length];
  }

  it('is refused if the second 402 has another recipient or a higher amount', async () => {
    expect(await retried({})).toEqual([200, 1]);
    expect(await retried({ requirement: { payTo: EVIL } })).toEqual(['pay_to_differs', 0]);
    expect(await retried({ requirement: { amount: '20001' } })).toEqual(['price_increased', 0]);
  });
});

describe('an error in a function of the caller', () => {
  const error = new Error('mine');
  const fails = () => {
    throw error;
  };

  it.each(['statement', 'probe', 'onAllowed', 'now'] as const)(
    'is rethrown unchanged, and nothing is signed: %s',
    async (name) => {
      for (const buyer of BUYERS.filter(({ version }) => version === 2)) {
        const wallet = countingWallet();
        const guarded = guard({ issuer: issuer.url, maxUsd: 1, unknown: 'allow', [name]: fails });
        expect(await buyer.pay(guarded, wallet, `${shop.origin}/v1/quote`).catch((thrown: unknown) => thrown)).toBe(
          error,
        );
        expect(wallet.signed).toEqual([]);
      }
    },
  );

  it('is also thrown in the signer', async () => {
    const { signer, within } = armed({ onAllowed: fails });
    expect(await within(() => signer.signTypedData(typedData()))).toBe(error);
  });
});

describe('a payment to the issuer itself', () => {
  const paid = { payTo: EVIL, amount: '1000000' };
  const asIssuer = { statement: undefined as never };

  it('needs no statement, but is limited', async () => {
    expect(await said(`${issuer.url}/refresh`, paid, asIssuer)).toBe('allowed paid_to_issuer');
    expect(await said(`${issuer.url}/refresh`, { ...paid, amount: '1000001' }, asIssuer)).toBe('above_limit');
    expect(issuer.asked).toEqual(['/.well-known/hostprobe-keys.json']);
  });

  it('is refused if its origin does not publish the trusted keys', async () => {
    const { keys, url } = { keys: { keys: [issuer.key.listed] }, url: `${issuer.url}/refresh` };
    expect(await said(url, paid, { ...asIssuer, keys })).toBe('statement_refused');
    const request = () => Promise.resolve(new Response('{}'));
    expect(await said(url, paid, { ...asIssuer, request })).toBe('issuer_unreachable');
    expect(await said(`${shop.origin}/refresh`, paid, asIssuer)).toBe('pay_to_differs');
  });
});

describe('concurrent calls', () => {
  it.each(BUYERS.filter(({ version }) => version === 2))(
    'with $name never use a payment allowed for another',
    async (buyer) => {
      const liar = await openShop();
      liar.served = { requirement: { payTo: EVIL } };
      const statement = (origin: string) => issuer.states(origin);
      const guarded = guard({ issuer: issuer.url, maxUsd: 1, statement });
      const wallet = countingWallet();
      shop.paid.length = 0;
      const calls = Array.from({ length: 40 }, (_, at) =>
        buyer.pay(guarded, wallet, `${(at % 4 ? shop : liar).origin}/v1/quote`),
      );
      const ends = (await Promise.allSettled(calls)).map((end) =>
        end.status === 'fulfilled' ? end.value : codeOf(end.reason),
      );
      expect(ends).toEqual(ends.map((_, at) => (at % 4 ? 200 : 'pay_to_differs')));
      expect([wallet.signed.length, shop.paid.length, liar.paid.length]).toEqual([30, 30, 0]);
      liar.close();
    },
  );
});

describe('requests to the issuer', () => {
  it('are made once per host, until the statement expires or is forgotten', async () => {
    const guarded = guard({ issuer: issuer.url, maxUsd: 1 });
    const pay = () =>
      guarded.within(`${shop.origin}/v1/quote`, () =>
        guarded.hook({ paymentRequired: {}, selectedRequirements: TERMS }),
      );
    await Promise.all([pay(), pay()]);
    await pay();
    expect(issuer.asked).toEqual(['/api/v1/hosts/localhost/statement', '/.well-known/hostprobe-keys.json']);
    guarded.forget(shop.origin);
    await pay();
    expect(issuer.asked.length).toBe(3);
  });

  it('detect a revoked key within a minute, even for a valid statement', async () => {
    let now = Date.now();
    const guarded = guard({ issuer: issuer.url, maxUsd: 1, now: () => now });
    const hook = () => guarded.hook({ paymentRequired: {}, selectedRequirements: TERMS });
    const pay = async () => (await guarded.within(`${shop.origin}/v1/quote`, hook))?.reason ?? 'allowed';
    expect(await pay()).toBe('allowed');
    issuer.revoked.push({ kid: issuer.key.listed.kid });
    now += 60_001;
    expect(await pay()).toContain('statement_refused');
    issuer.revoked.length = 0;
    now += 60_001;
    expect(await pay()).toBe('allowed');
  });

  it('are only about the origin that answered after redirects', async () => {
    const other = await openShop();
    shop.served = { redirect: `${other.origin}/v1/quote` };
    const asked: string[] = [];
    const statement = (origin: string) => void asked.push(origin);
    const guarded = guard({ issuer: issuer.url, maxUsd: 1, statement: statement });
    const outcome = await BUYERS[1]!.pay(guarded, countingWallet(), `${shop.origin}/v1/quote`).catch(codeOf);
    expect([outcome, asked]).toEqual(['no_statement', [other.origin]]);
    other.close();
  });
});
