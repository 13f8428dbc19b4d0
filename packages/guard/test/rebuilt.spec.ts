import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import fc from 'fast-check';
import { privateKeyToAccount } from 'viem/accounts';
import { guard } from '../src/guard.js';
import { isPaymentRefused } from '../src/payment-refused.js';
import { base58, keyBytes } from '../src/solana-transaction.js';
import { EVIL, HONEST, PRICE, railOf, USDC } from './world.js';

const ORIGIN = 'https://shop.example.com';
const bytesOf = (seed: string) => new Uint8Array(createHash('sha256').update(seed).digest());

/** Signs with a guarded signer. @returns the result, or the code of the refusal */
async function signed(signer: object, rail: object, sign: (guarded: never) => Promise<unknown>): Promise<unknown> {
  const seen = railOf(ORIGIN, rail);
  const probe = () => Promise.resolve([seen]);
  const guarded = guard({ issuer: 'https://hostprobe.example', maxUsd: 1, permit2: true, probe });
  const selectedRequirements = { network: seen.n, asset: seen.a, payTo: seen.to, amount: seen.amt };
  const work = async () => {
    await guarded.hook({ paymentRequired: {}, selectedRequirements });
    return sign(guarded.signer(signer) as never);
  };
  return guarded
    .within(`${ORIGIN}/v1/quote`, work)
    .catch((error: unknown) => (isPaymentRefused(error) ? error.code : 'the signer cannot read it'));
}

describe('typed data that changes between reads', () => {
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
  const address = (name: string) => ({ name, type: 'address' });
  const number = (name: string) => ({ name, type: 'uint256' });
  const types = {
    TransferWithAuthorization: [
      ...['from', 'to'].map(address),
      ...['value', 'validAfter', 'validBefore'].map(number),
      { name: 'nonce', type: 'bytes32' },
    ],
  };
  const domain = { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC };
  const message = {
    from: account.address,
    to: HONEST,
    value: PRICE,
    validAfter: 0n,
    validBefore: 9n,
    nonce: `0x${'0'.repeat(64)}`,
  };
  const honest = { domain, types, primaryType: 'TransferWithAuthorization', message };
  const permit = {
    ...domain,
    domain,
    types: { Permit: [...['owner', 'spender'].map(address), ...['value', 'nonce', 'deadline'].map(number)] },
    primaryType: 'Permit',
    message: { owner: account.address, spender: EVIL, value: 2n ** 256n - 1n, nonce: 0n, deadline: 2n ** 256n - 1n },
  };
  type Part = 'domain' | 'message';
  const LATER = { domain: { chainId: 1, verifyingContract: EVIL }, message: { to: EVIL, value: 10n ** 30n } } as const;
  const members = (['domain', 'message'] as const).flatMap((part) =>
    Object.keys(LATER[part]).map((name) => [part, name] as const),
  );
  const with_ = (part: Part, value: object) => ({ ...honest, [part]: value });
  const afterSome = (first: unknown, later: unknown, times: number) => () => (times-- > 0 ? first : later);

  const attacks: Readonly<Record<string, fc.Arbitrary<readonly unknown[]>>> = {
    'more arguments': fc
      .integer({ min: 1, max: 4 })
      .chain((more) =>
        fc.constantFrom(
          [permit, ...[types, message, {}, {}].slice(0, more)],
          [honest, ...[permit.types, permit.message, {}, {}].slice(0, more)],
        ),
      ),
    'a getter that changes': fc
      .tuple(fc.constantFrom(...members), fc.integer({ min: 1, max: 6 }))
      .map(([[part, name], times]) => {
        const value = { ...honest[part] };
        const [first, later] = [Reflect.get(value, name) as unknown, Reflect.get(LATER[part], name) as unknown];
        Object.defineProperty(value, name, { enumerable: true, get: afterSome(first, later, times) });
        return [with_(part, value)];
      }),
    'a proxy that changes': fc
      .tuple(fc.constantFrom<Part>('domain', 'message'), fc.integer({ min: 1, max: 12 }))
      .map(([part, times]) => {
        const later = { ...honest[part], ...LATER[part] };
        const get = (from: object, name: string) => Reflect.get(times-- > 0 ? from : later, name) as unknown;
        return [with_(part, new Proxy({ ...honest[part] }, { get: get as never }))];
      }),
    'another text': fc.constantFrom<Part>('domain', 'message').map((part) => {
      const toJSON = () => ({ ...honest[part], ...LATER[part] });
      return [with_(part, { ...honest[part], toJSON })];
    }),
    'a prototype': fc
      .constantFrom<Part>('domain', 'message')
      .map((part) => [
        with_(part, Object.assign(Object.create(honest[part]) as object, { note: 'nothing of its own' })),
      ]),
    'a chain that wallets leave out': fc
      .constantFrom<unknown>('8453', '0x2105', 8453n)
      .map((chainId) => [with_('domain', { ...domain, chainId })]),
    'a domain without its chain': fc
      .subarray(['name', 'version', 'verifyingContract'])
      .map((names) => [
        { ...honest, types: { ...types, EIP712Domain: names.map((name) => ({ name, type: 'string' })) } },
      ]),
    'typed data of another contract': fc
      .subarray(types.TransferWithAuthorization)
      .map((some) => [{ ...honest, types: { TransferWithAuthorization: some, ...permit.types } }]),
    'other members': fc
      .constantFrom({ raw: permit }, { typedData: permit }, { account: { sign: () => 'x' } })
      .map((more) => [{ ...honest, ...more }]),
  };

  it.each(Object.entries(attacks))('is signed as checked or not at all: %s', async (_, drawn) => {
    await fc.assert(
      fc.asyncProperty(drawn, async (args) => {
        const reached: unknown[] = [];
        const signTypedData = async (...all: readonly never[]) => {
          const signature = await account.signTypedData(
            ...(all as unknown as Parameters<typeof account.signTypedData>),
          );
          reached.push(all);
          return signature;
        };
        const sign = (guarded: { signTypedData: (...all: readonly unknown[]) => Promise<unknown> }) =>
          guarded.signTypedData(...args);
        const end = await signed({ address: account.address, signTypedData }, {}, sign);
        expect(reached).toEqual(reached.length === 0 ? [] : [[honest]]);
        expect(end).toEqual(reached.length === 0 ? end : await account.signTypedData(honest as never));
      }),
      { numRuns: 20 },
    );
  });

  it('is also rebuilt in the form of ethers', async () => {
    const reached: unknown[] = [];
    const signTypedData = (...all: readonly unknown[]) => Promise.resolve(reached.push(all));
    const given = [
      { ...permit, ...domain },
      { ...types, EIP712Domain: [] },
      { ...permit.message, ...message },
    ];
    await signed({ signTypedData }, {}, (guarded: { signTypedData: (...all: unknown[]) => Promise<unknown> }) =>
      guarded.signTypedData(...given),
    );
    expect(reached).toEqual([[domain, types, message]]);
  });
});

describe('a Solana transaction that changes between reads', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = (key: typeof publicKey, member: 'x' | 'd') =>
    Buffer.from(key.export({ format: 'jwk' })[member]!, 'base64url');
  const owner = Uint8Array.from(raw(publicKey, 'x'));
  const [mint, token, associated] = [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  ].map((address) => keyBytes(address)!) as [Uint8Array, Uint8Array, Uint8Array];
  const payee = bytesOf('payee');
  const paid = { n: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', a: base58(mint), to: base58(payee) };

  function messageTo(recipient: Uint8Array): Uint8Array {
    const seed = [...recipient, ...token, ...mint, 255, ...associated, ...Buffer.from('ProgramDerivedAddress')];
    const account = new Uint8Array(createHash('sha256').update(Uint8Array.from(seed)).digest());
    const keys = [owner, bytesOf('source'), mint, account, token];
    const amount = new Uint8Array(new BigUint64Array([PRICE]).buffer);
    const instruction = [4, 4, 1, 2, 3, 0, 10, 12, ...amount, 6];
    return Uint8Array.from([
      1,
      0,
      2,
      keys.length,
      ...keys.flatMap((key) => [...key]),
      ...bytesOf('block'),
      1,
      ...instruction,
    ]);
  }
  const [honest, evil] = [messageTo(payee), messageTo(bytesOf('evil'))];
  const whole = (message: Uint8Array) => Uint8Array.from([1, ...new Uint8Array(64), ...message]);
  const secretKey = Uint8Array.from([...raw(privateKey, 'd'), ...owner]);
  const keypair = { publicKey: { toString: () => base58(owner) }, secretKey };

  class Twofold extends Uint8Array {
    override slice() {
      return new Twofold(honest) as never;
    }
  }
  type Transaction = Readonly<Record<string, unknown>>;
  const changing = (times: number) => () => (times-- > 0 ? honest : evil);
  const stolen: unknown[] = [];
  const sign = (keys: unknown) => void stolen.push(keys);
  const plain = { message: { serialize: () => honest }, serialize: () => whole(honest), sign: () => undefined };
  const attacks: Readonly<Record<string, (times: number) => Transaction>> = {
    nothing: () => plain,
    'a message that differs from its bytes': () => ({
      ...plain,
      messageBytes: honest,
      message: { serialize: () => evil },
      serialize: () => whole(evil),
    }),
    'a message that changes': (times) => ({ ...plain, message: { serialize: changing(times) } }),
    'a serialization of another transaction': () => ({ ...plain, serialize: () => whole(evil) }),
    'a legacy message that changes': (times) => ({ ...plain, message: undefined, serializeMessage: changing(times) }),
    'bytes in a custom class': () => ({ ...plain, messageBytes: new Twofold(evil) }),
    'a getter that changes': (times) => ({
      ...plain,
      get messageBytes() {
        return changing(times--)();
      },
    }),
    'its own sign methods': () => ({ ...plain, sign, partialSign: sign }),
    'a prototype': () =>
      Object.assign(Object.create({ sign, serialize: () => whole(evil) }) as object, { message: plain.message }),
    'a proxy': (times) =>
      new Proxy(plain, {
        get: (from, name) =>
          name === 'message' ? { serialize: changing(times) } : (Reflect.get(from, name) as unknown),
      }),
  };
  const call = (value: unknown, name: string, ...args: readonly unknown[]): Uint8Array | undefined => {
    const method: unknown = Reflect.get(Object(value) as object, name);
    const answer: unknown = typeof method === 'function' ? Reflect.apply(method, value, args) : undefined;
    return answer as Uint8Array | undefined;
  };
  /** Every way in which a wallet can read the message of a transaction that it signs. */
  const readings = (transaction: Transaction) =>
    [
      transaction['messageBytes'],
      call(transaction['message'], 'serialize'),
      call(transaction, 'serializeMessage'),
      call(transaction, 'serialize')?.slice(65),
    ].filter((bytes) => bytes !== undefined) as Uint8Array[];

  it.each(Object.entries(attacks))(
    'is signed as checked or not at all, for any property that is read: %s',
    async (name, attack) => {
      for (let times = 0; times < 6; times += 1) {
        const read: Uint8Array[] = [];
        const wallet = {
          signTransaction: (transaction: Transaction) => {
            read.push(...readings(transaction), ...readings(transaction));
            call(transaction, 'sign', [keypair]);
            call(transaction, 'partialSign', keypair);
            return Promise.resolve(transaction);
          },
          signTransactions: (all: readonly Transaction[]) => {
            read.push(...all.flatMap(readings), ...all.flatMap(readings));
            return Promise.resolve(all);
          },
        };
        const pay = ({ signTransaction }: typeof wallet) => signTransaction(attack(times));
        const end = await signed(wallet, paid, pay);
        const many = ({ signTransactions }: typeof wallet) => signTransactions([attack(times)]);
        await signed(wallet, paid, many);
        expect(read.filter((bytes) => base58(bytes) !== base58(honest))).toEqual([]);
        expect(stolen).toEqual([]);
        if (name !== 'nothing') continue;
        const sent = call(end, 'serialize')!;
        expect(verify(null, honest, publicKey, sent.slice(1, 65))).toBe(true);
      }
    },
  );

  it('is signed with known arguments only', async () => {
    const given: unknown[][] = [];
    const wallet = { signTransactions: (...args: unknown[]) => Promise.resolve(given.push(args)) };
    const signatures = { [base58(owner)]: null };
    const { signal: abortSignal } = new AbortController();
    const pay =
      (config: object, ...more: object[]) =>
      (guarded: typeof wallet) =>
        guarded.signTransactions([{ messageBytes: honest, signatures, message: evil }], config, ...more);
    expect(await signed(wallet, paid, pay({ abortSignal, message: evil }))).toBe(1);
    expect(given).toEqual([[[{ messageBytes: honest, signatures }], { abortSignal }]]);
    expect(await signed(wallet, paid, pay({}, { message: evil }))).toBe('signs_something_else');
    const one = { signTransaction: (...args: unknown[]) => Promise.resolve(args) };
    const beside = (guarded: typeof one) => guarded.signTransaction(plain, evil);
    expect(await signed(one, paid, beside)).toBe('signs_something_else');
  });
});
