import { createSIWxPayload, encodeSIWxHeader, type SIWxExtension } from '@x402/extensions/sign-in-with-x';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { x402Client } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashMessage } from 'viem';
import fc from 'fast-check';
import {
  startFaultyFacilitator,
  type FacilitatorFault,
  type FaultyFacilitator,
} from '../../../test/support/facilitator';
import { fund, newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { deploySmartWallet } from '../../../test/support/smart-wallet';
import { until } from '../../../test/support/until';
import { partOf } from '../../../test/support/generated';

const RACES = partOf(1_000);
const TOGETHER = 10;

interface Race {
  readonly fault: FacilitatorFault;
  /** The purchase names in the strangers' copies, one each, and their delays in milliseconds. */
  readonly strangers: readonly { readonly name: string | undefined; readonly delayMs: number }[];
}
const race: fc.Arbitrary<Race> = fc.record({
  fault: fc.constantFrom<FacilitatorFault>(
    ...(['none', 'none', 'none', 'verify_500', 'settle_not_sent', 'settle_landed_then_dropped'] as const),
  ),
  strangers: fc.array(
    fc.record({ name: fc.option(fc.uuid(), { nil: undefined }), delayMs: fc.integer({ min: 0, max: 40 }) }),
    { minLength: 1, maxLength: 3 },
  ),
});
const LIMIT_MS = 60_000 + RACES * 2_000;

describe('the key of a subscription', () => {
  let service: Service;
  let facilitator: FaultyFacilitator;
  let url: string;
  const faults = new Map<string, FacilitatorFault>();
  const seen = new Set<string>();

  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    facilitator.fault = ({ path, nonce = '' }) => {
      if (path === '/verify') seen.add(nonce);
      const fault = faults.get(nonce) ?? 'none';
      if (fault.startsWith(path.slice(1))) faults.delete(nonce);
      return fault;
    };
    service = await startService({
      env: { X402_FACILITATOR_URL: facilitator.url, RATE_LIMIT_REQUESTS_PER_MIN: '1000000' },
    });
    url = `${service.baseUrl}/api/v1/hosts/shop.example.com/subscription`;
  });
  afterAll(async () => {
    await service.stop();
    await facilitator.close();
  });

  interface Told {
    readonly status: number;
    readonly key?: string | null;
    readonly code?: string;
  }
  async function present(payment: string, name?: string): Promise<Told> {
    const headers = { 'payment-signature': payment, ...(name !== undefined && { 'idempotency-key': name }) };
    const response = await fetch(url, { method: 'POST', headers });
    return { ...((await response.json()) as object), status: response.status };
  }

  async function draw(signer: {
    readonly address: `0x${string}`;
    signMessage(it: { message: string }): Promise<`0x${string}`>;
  }) {
    const asked = await fetch(url);
    const { extensions } = (await asked.json()) as { extensions: { 'sign-in-with-x': SIWxExtension } };
    const { info } = extensions['sign-in-with-x'];
    const message = await createSIWxPayload({ ...info, chainId: 'eip155:8453', type: 'eip191' }, signer, url);
    const headers = { 'sign-in-with-x': encodeSIWxHeader(message) };
    const drawn = await fetch(`${url}/key`, { method: 'POST', headers });
    return { status: drawn.status, key: ((await drawn.json()) as { key?: string }).key };
  }
  const works = async (key: string): Promise<boolean> =>
    (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status === 200;

  async function run({ fault, strangers }: Race): Promise<void> {
    const payer = await newPayer(5_000_000n);
    const payment = await signPayment(payer, await fetch(url, { method: 'POST' }));
    const nonce = nonceOf(payment);
    faults.set(nonce, fault);
    const first = present(payment);
    await until('a first request that is being verified', () => Promise.resolve(seen.has(nonce)));
    const told = await Promise.all(
      strangers.map(async ({ name, delayMs }) => {
        await sleep(delayMs);
        return [await present(payment, name), await present(payment, name)];
      }),
    );
    const mine = await first;
    expect(told.flat().map(({ key }) => key ?? null)).toEqual(told.flat().map(() => null));
    await until('a subscription that is paid for', async () => {
      const { status, key } = await present(payment);
      if (status === 200) expect(key).toBeNull();
      return status === 200;
    });
    const drawn = await draw(payer.account);
    expect([drawn.status, await works(drawn.key ?? '')]).toEqual([200, true]);
    if (fault === 'none') expect(mine.key).toMatch(/^hps_/);
    if (typeof mine.key === 'string') expect(await works(mine.key)).toBe(false);
  }

  it(
    `never goes to a stranger whose copy of the payment comes second, in ${RACES} races`,
    async () => {
      const races = fc.sample(race, { numRuns: RACES, seed: 7 });
      for (let at = 0; at < races.length; at += TOGETHER) await Promise.all(races.slice(at, at + TOGETHER).map(run));
    },
    LIMIT_MS,
  );

  it('that went to a stranger whose copy came first can be rotated by the wallet', async () => {
    const payer = await newPayer(5_000_000n);
    const payment = await signPayment(payer, await fetch(url, { method: 'POST' }));
    const stolen = (await present(payment)).key ?? '';
    expect((await present(payment)).key).toBeNull();
    const byKey = await fetch(`${url}/key`, { method: 'POST', headers: { authorization: `Bearer ${stolen}` } });
    expect([byKey.status, await works(stolen)]).toEqual([401, true]);
    const drawn = await draw(payer.account);
    expect([await works(stolen), await works(drawn.key ?? '')]).toEqual([false, true]);
    const again = await draw(payer.account);
    expect([await works(drawn.key ?? ''), await works(again.key ?? '')]).toEqual([false, true]);
  });

  it("can also be rotated by a contract wallet, but not with somebody else's signature", async () => {
    const wallet = await deploySmartWallet();
    await fund(wallet.address, 5_000_000n);
    const challenge = await fetch(url, { method: 'POST' });
    const required = decodePaymentRequiredHeader(challenge.headers.get('payment-required') ?? '');
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet)).setSpendControls(false);
    const bought = await present(encodePaymentSignatureHeader(await client.createPaymentPayload(required)));
    expect(bought.key).toMatch(/^hps_/);
    const drawn = await draw({
      address: wallet.address,
      signMessage: ({ message }) => wallet.signHash(hashMessage(message)),
    });
    expect([drawn.status, await works(bought.key ?? ''), await works(drawn.key ?? '')]).toEqual([200, false, true]);
    const other = (await newPayer(0n)).account;
    const forged = await draw({
      address: wallet.address,
      signMessage: ({ message }) => other.signMessage({ message }),
    });
    expect(forged.status).toBe(401);
  });
});

function nonceOf(header: string): string {
  return /"nonce":"(0x[0-9a-fA-F]{64})"/.exec(Buffer.from(header, 'base64').toString())?.[1]?.toLowerCase() ?? '';
}
