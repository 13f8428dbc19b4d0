import fc from 'fast-check';
import { privateKeyToAccount } from 'viem/accounts';
import { guard, type GuardOptions } from '../src/guard.js';
import { isPaymentRefused } from '../src/payment-refused.js';
import { drawnKey, EVIL, HONEST, PRICE, railOf, signedWith, USDC } from './world.js';

const ORIGIN = 'https://shop.example.com';
const KEY = `0x${'11'.repeat(32)}` as const;
const SECRET = Uint8Array.from({ length: 64 }, () => 7);
const account = privateKeyToAccount(KEY);

/** A signer beside which a key is held, and one that hands out another signer, as wallets do. */
const SIGNS = { signTransaction: () => 'signed', signMessage: () => 'signed', request: () => 'signed', address: EVIL };
const HOLDS = { keyPair: { privateKey: SECRET }, secretKey: SECRET, privateKey: KEY, mnemonic: 'a b c', address: EVIL };
const MEMBERS = ['walletClient', 'wallet', 'provider', 'transport', 'signer', 'client', 'inner', 'evm'];
const READS = ['getSigner', 'getClient', 'getWallet', 'getProvider', 'getKeypair', 'toSigner'];

const armed = (options: Partial<GuardOptions> = {}) =>
  guard({ issuer: 'https://hostprobe.example', maxUsd: 1, probe: () => Promise.resolve([railOf(ORIGIN)]), ...options });

/** Whatever a stranger can find in a signer, by its members and what its reading methods answer. */
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
  it('hands out no key and no signer that is not guarded, however deep it has them', async () => {
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

  it('hands out no key of a class that keeps it behind a getter, nor signers in a list', async () => {
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

  it('reads what is no signer as it is', () => {
    class PublicKey {
      readonly #text = EVIL;
      toBase58 = () => this.#text;
    }
    const guarded = armed().signer({ publicKey: new PublicKey(), chain: { id: 1 }, getBalance: () => 5n, ...SIGNS });
    expect([guarded.publicKey.toBase58(), guarded.chain.id, guarded.getBalance()]).toEqual([EVIL, 1, 5n]);
  });

  it('without a hook signs once for a call, also when it is asked many times at once', async () => {
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
  it('are copied whole: tokens and keys that are added later count for nothing', async () => {
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

  it('are those it was made with: neither a later change nor a member of every object loosens them', async () => {
    const loose = { unknown: 'allow', maxUsd: 1e6, permit2: true, probe: () => Promise.resolve([railOf(ORIGIN)]) };
    const answerOf = async (spoil: (options: GuardOptions) => void) => {
      const options = { issuer: 'https://hostprobe.example', maxUsd: 0.001, statement: () => undefined };
      const guarded = guard(options);
      spoil(options);
      const terms = { network: 'eip155:8453', asset: USDC, payTo: EVIL, amount: '1' };
      const hook = () => guarded.hook({ paymentRequired: {}, selectedRequirements: terms });
      return (await guarded.within(ORIGIN, hook))?.reason;
    };
    expect(await answerOf((options) => Object.assign(options, loose))).toContain('no_fresh_report');
    try {
      expect(await answerOf(() => Object.assign(Object.prototype, loose))).toContain('no_fresh_report');
    } finally {
      for (const name of Object.keys(loose)) Reflect.deleteProperty(Object.prototype, name);
    }
  });
});
