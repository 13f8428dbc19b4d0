import fc from 'fast-check';
import { privateKeyToAccount } from 'viem/accounts';
import { guard } from '../src/guard.js';
import type { GuardOptions } from '../src/options.js';
import { isPaymentRefused } from '../src/payment-refused.js';
import { drawnKey, EVIL, HONEST, PRICE, railOf, signedWith, USDC } from './world.js';

const ORIGIN = 'https://shop.example.com';
const KEY = `0x${'11'.repeat(32)}` as const;
const SECRET = Uint8Array.from({ length: 64 }, () => 7);
const account = privateKeyToAccount(KEY);

/** A signer with a key next to it, and a signer that returns another signer, as wallets do. */
const SIGNS = { signTransaction: () => 'signed', signMessage: () => 'signed', request: () => 'signed', address: EVIL };
const HOLDS = { keyPair: { privateKey: SECRET }, secretKey: SECRET, privateKey: KEY, mnemonic: 'a b c', address: EVIL };
const MEMBERS = ['walletClient', 'wallet', 'provider', 'transport', 'signer', 'client', 'inner', 'evm'];
const READS = ['getSigner', 'getClient', 'getWallet', 'getProvider', 'getKeypair', 'toSigner'];

const armed = (options: Partial<GuardOptions> = {}) =>
  guard({ issuer: 'https://hostprobe.example', maxUsd: 1, probe: () => Promise.resolve([railOf(ORIGIN)]), ...options });

/**
 * Finds all keys and signers that other code can reach through the members of a signer and the results of its read
 * methods.
 */
async function leaked(value: unknown, depth = 4): Promise<readonly string[]> {
  if (value === KEY || value === SECRET || value === HOLDS.mnemonic) return ['a key'];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || depth === 0) return [];
  const names = new Set([...Object.getOwnPropertyNames(value), ...Object.keys(SIGNS), ...Object.keys(HOLDS)]);
  const found = await Promise.all(
    [...names].map(async (name) => {
      const member: unknown = Reflect.get(value, name);
      if (typeof member !== 'function') return leaked(member, depth - 1);
      const answer: unknown = await Promise.resolve(Reflect.apply(member, value, [{}])).catch(() => undefined);
      return answer === 'signed' ? [name] : leaked(answer, depth - 1);
    }),
  );
  return found.flat();
}

const typedData = () => ({
  primaryType: 'TransferWithAuthorization',
  types: {},
  domain: { chainId: 8453, verifyingContract: USDC },
  message: { to: HONEST, value: PRICE },
});

describe('a guarded signer', () => {
  it('returns no keys and no unguarded signers, at any depth', async () => {
    const holder = fc.constantFrom(SIGNS, HOLDS);
    const wrapped = fc
      .tuple(fc.array(fc.constantFrom(...MEMBERS, ...READS), { minLength: 1, maxLength: 3 }), holder, fc.boolean())
      .map(([path, inner, isLater]) =>
        path.reduceRight<object>((below, name) => {
          const answer = () => (isLater ? Promise.resolve(below) : below);
          return { [name]: READS.includes(name) ? answer : below };
        }, inner),
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(holder, wrapped), async (signer) => {
        expect(await leaked(armed().signer(signer))).toEqual([]);
      }),
    );
  });

  it('returns no keys behind a getter, and no signers in an array', async () => {
    class Keypair {
      readonly _keypair = { secretKey: SECRET };
      readonly accounts = [SIGNS];
      get secretKey() {
        return this._keypair.secretKey;
      }
      getAccounts() {
        return [SIGNS, account];
      }
    }
    const guarded = armed().signer(new Keypair());
    expect(guarded.secretKey).toBeUndefined();
    expect(await leaked(guarded)).toEqual([]);
    for (const one of [...guarded.getAccounts(), ...guarded.accounts])
      await expect((one as typeof account).signMessage({ message: 'pay' })).rejects.toThrow('signs_something_else');
  });

  it('returns other values unchanged', () => {
    class PublicKey {
      readonly #text = EVIL;
      toBase58 = () => this.#text;
    }
    const guarded = armed().signer({ publicKey: new PublicKey(), chain: { id: 1 }, getBalance: () => 5n, ...SIGNS });
    expect([guarded.publicKey.toBase58(), guarded.chain.id, guarded.getBalance()]).toEqual([EVIL, 1, 5n]);
  });

  it('without a hook signs once per call, even with concurrent requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 40 }), fc.boolean(), async (times, isAtOnce) => {
        let signed = 0;
        const guarded = armed();
        const signer = guarded.signer({ signTypedData: (data: unknown) => Promise.resolve(data && (signed += 1)) });
        const ask = () => signer.signTypedData(typedData()).catch((error: unknown) => error);
        const outcomes: unknown[] = [];
        await guarded.within(`${ORIGIN}/v1/quote`, async () => {
          if (isAtOnce) outcomes.push(...(await Promise.all(Array.from({ length: times }, ask))));
          else for (let n = 0; n < times; n += 1) outcomes.push(await ask());
        });
        expect(signed).toBe(1);
        expect(outcomes.filter(isPaymentRefused).map(({ code }) => code)).toEqual(
          Array.from({ length: times - 1 }, () => 'nothing_allowed'),
        );
      }),
      { numRuns: 20 },
    );
  });
});

describe('the options of a guard', () => {
  const GOOD: Readonly<Record<keyof GuardOptions, fc.Arbitrary<unknown>>> = {
    issuer: fc.webAuthority().map((authority) => `https://${authority.toLowerCase()}`),
    maxUsd: fc.double({ min: 0, max: 1e9, noNaN: true }),
    unknown: fc.constantFrom('refuse', 'allow', undefined),
    dollars: fc.dictionary(fc.constantFrom('eip155:1/0xA', `eip155:8453/${EVIL}`, 'solana:a/b'), fc.nat(77)),
    permit2: fc.option(fc.boolean(), { nil: undefined }),
    keys: fc.constantFrom({ keys: [] }, { keys: [{ kid: 'a' }], revoked: [{ kid: 'b' }] }, undefined),
    statement: fc.func(fc.constant(undefined)),
    probe: fc.func(fc.constant(undefined)),
    request: fc.func(fc.constant(undefined)),
    now: fc.func(fc.nat()),
    onAllowed: fc.func(fc.constant(undefined)),
    timeoutMs: fc.integer({ min: 1, max: 600_000 }),
    maxAgeSec: fc.integer({ min: 1, max: 86_400 }),
  };
  const outside = (least: number, most: number) =>
    fc.oneof(
      fc.double({ max: least, maxExcluded: true }),
      fc.double({ min: most, minExcluded: true }),
      fc.constantFrom(NaN, Infinity, -Infinity),
    );
  const text = fc.string();
  const notFunction = fc.anything().filter((value) => typeof value !== 'function' && value !== undefined);
  const BAD: Readonly<Record<keyof GuardOptions, fc.Arbitrary<unknown>>> = {
    issuer: fc.oneof(
      fc.constantFrom('', 'hostprobe.example', 'ftp://a.example', 'https://u:p@a.example', 'https://a.example/api/'),
      fc.constantFrom('https://a.example/?q', 'https://a.example/#a', 'https://a.example//'),
      fc.webUrl({ withQueryParameters: true }).filter((url) => new URL(url).pathname !== '/' || url.includes('?')),
      fc.anything().filter((value) => typeof value !== 'string'),
    ),
    maxUsd: fc.oneof(outside(0, 1e9), text, fc.bigInt(), fc.constantFrom(null, undefined, true)),
    unknown: fc.oneof(text, fc.boolean(), fc.constant(null)),
    dollars: fc.oneof(
      text,
      fc.constantFrom(null, [], { 'eip155:1/0x1': '6' }, { 'eip155:1/0x1': 1.5 }, { 'eip155:1/0x1': 78 }),
      fc.dictionary(
        fc.string().filter((key) => !key.includes('/')),
        fc.nat(77),
        { minKeys: 1 },
      ),
    ),
    permit2: fc.oneof(text, fc.nat(), fc.constant(null)),
    keys: fc.oneof(text, fc.constantFrom(null, [], {}, { keys: {} }, { keys: [{}] }, { keys: [], revoked: 1 })),
    statement: notFunction,
    probe: notFunction,
    request: notFunction,
    now: notFunction,
    onAllowed: notFunction,
    timeoutMs: fc.oneof(outside(1, 600_000), fc.constantFrom(1.5, '2000', null)),
    maxAgeSec: fc.oneof(outside(1, 86_400), fc.constantFrom(1.5, '900', null)),
  };
  const made = (options: object): unknown => {
    try {
      guard(options as GuardOptions);
      return 'made';
    } catch (error) {
      return error;
    }
  };

  it('are accepted in any combination of valid values', () => {
    fc.assert(
      fc.property(fc.record(GOOD, { requiredKeys: ['issuer', 'maxUsd'] }), (options) => {
        expect(made(options)).toBe('made');
        expect(made({ ...options, issuer: `${String(options.issuer)}/` })).toBe('made');
      }),
    );
  });

  it.each(Object.entries(BAD))(
    'are checked when a guard is created, with an error that names the option: %s',
    (name, bad) => {
      fc.assert(
        fc.property(fc.record(GOOD), bad, (good, value) => {
          const error = made({ ...good, probe: undefined, [name]: value });
          expect(error instanceof TypeError || error instanceof RangeError).toBe(true);
          expect((error as Error).message).toContain(`option ${name} `);
        }),
      );
    },
  );

  it('that do not exist are named, with a suggestion', () => {
    const least = { issuer: 'https://hostprobe.example', maxUsd: 1 };
    const says = (options: object) => (made({ ...least, ...options }) as Error).message;
    expect(says({ maxUSD: 1 })).toBe('hostprobe guard: unknown option maxUSD; did you mean maxUsd?');
    expect(says({ timeoutMS: 1 })).toContain('did you mean timeoutMs?');
    expect(says({ colour: 1 })).toBe('hostprobe guard: unknown option colour');
    expect(says({ maxUsd: 'x' })).toBe("hostprobe guard: option maxUsd must be a number of US dollars, not 'x'");
    expect(says({ maxUsd: -1 })).toBe('hostprobe guard: option maxUsd must be from 0 to 1000000000, not -1');
    expect(says({ issuer: undefined })).toContain('option issuer is required');
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((name) => !Object.hasOwn(GOOD, name)),
        (name) => {
          const error = made(Object.fromEntries([...Object.entries(least), [name, 1]]));
          expect(error).toBeInstanceOf(TypeError);
          expect((error as Error).message).toContain(`unknown option ${name}`);
        },
      ),
    );
  });

  it('accept a token address in any case, and an issuer with a trailing slash', async () => {
    const dollars = { [`eip155:8453/${EVIL.toUpperCase().replace('0X', '0x')}`]: 6, [`eip155:1/${USDC}`]: 6 };
    const probe = () => Promise.resolve([railOf(ORIGIN, { n: 'eip155:1' })]);
    const guarded = guard({ maxUsd: 1, dollars, probe });
    const terms = { network: 'eip155:1', asset: USDC, payTo: HONEST, amount: '1' };
    const hook = () => guarded.hook({ paymentRequired: {}, selectedRequirements: terms });
    expect(await guarded.within(`${ORIGIN}/v1/quote`, hook)).toBeUndefined();
    const asked: string[] = [];
    const request = (url: string | URL | Request) => {
      asked.push(url instanceof Request ? url.url : String(url));
      return Promise.resolve(new Response('', { status: 404 }));
    };
    const slashed = guard({ issuer: 'https://hostprobe.example/', maxUsd: 1, request });
    const other = { ...terms, network: 'eip155:8453' };
    await slashed.within(ORIGIN, () => slashed.hook({ paymentRequired: {}, selectedRequirements: other }));
    expect(asked).toEqual(['https://hostprobe.example/api/v1/hosts/shop.example.com/statement']);
  });

  it('are copied completely: tokens and keys added later have no effect', async () => {
    const [dollars, set] = [{}, { keys: [] as { kid: string }[] }];
    const spoil = () => {
      Object.assign(dollars, { [`eip155:8453/${EVIL}`]: 6 });
      set.keys.push(key.listed);
    };
    const key = drawnKey();
    const iat = Math.floor(Date.now() / 1_000);
    const said = { iss: 'https://hostprobe.example', sub: ORIGIN, iat, exp: iat + 900, jti: '1', outcome: 'probed' };
    const statement = () => signedWith(key.privateKey, { ...said, rails: [railOf(ORIGIN)] });
    const reasonOf = async (asset: string) => {
      const guarded = guard({ issuer: 'https://hostprobe.example', maxUsd: 1, dollars, keys: set as never, statement });
      spoil();
      const selectedRequirements = { network: 'eip155:8453', asset, payTo: HONEST, amount: '1' };
      return (await guarded.within(ORIGIN, () => guarded.hook({ paymentRequired: {}, selectedRequirements })))?.reason;
    };
    expect(await reasonOf(EVIL)).toContain('asset_unpriced');
    set.keys.length = 0;
    expect(await reasonOf(USDC)).toContain('statement_refused');
  });

  it('are fixed: neither a later change nor a property of Object.prototype weakens them', async () => {
    const loose = { unknown: 'allow', maxUsd: 1e6, permit2: true, probe: () => Promise.resolve([railOf(ORIGIN)]) };
    const answerOf = async (spoil: (options: GuardOptions) => void) => {
      const options = { issuer: 'https://hostprobe.example', maxUsd: 0.001, statement: () => undefined };
      const guarded = guard(options);
      spoil(options);
      const terms = { network: 'eip155:8453', asset: USDC, payTo: EVIL, amount: '1' };
      const hook = () => guarded.hook({ paymentRequired: {}, selectedRequirements: terms });
      return (await guarded.within(ORIGIN, hook))?.reason;
    };
    expect(await answerOf((options) => Object.assign(options, loose))).toContain('no_statement');
    try {
      expect(await answerOf(() => Object.assign(Object.prototype, loose))).toContain('no_statement');
    } finally {
      for (const name of Object.keys(loose)) Reflect.deleteProperty(Object.prototype, name);
    }
  });
});
