import { CHAINS } from '@app/networks';
import { createLocalFacilitator } from '@app/payments';
import { HTTPFacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { chainClient, startChain, type ChainClient, type EmbeddedChain } from '../src/embedded/embedded-chain';
import { startFacilitator, type EmbeddedFacilitator } from '../src/embedded/embedded-facilitator';
import { installUsdc, mintUsdc, usdcBalance } from '../src/embedded/usdc-contract';

const { usdc, chainId, id: network } = CHAINS['eip155:8453'];
const payTo = privateKeyToAccount(generatePrivateKey()).address;
const payer = privateKeyToAccount(generatePrivateKey());
/** The key of the account that the facilitator settles with. */
const privateKey = generatePrivateKey();
const requirements: PaymentRequirements = {
  scheme: 'exact',
  network,
  amount: '20000',
  asset: usdc.address,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { name: usdc.name, version: usdc.version },
};

let dir: string;
let chain: EmbeddedChain;
let client: ChainClient;
let served: EmbeddedFacilitator;
let facilitator: HTTPFacilitatorClient;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'facilitator-'));
  chain = await startChain({ dir, chainId });
  client = chainClient(chain.rpcUrl, chainId);
  await installUsdc(client, usdc);
  await mintUsdc(client, payer.address, 10_000_000n);
  await client.setBalance({ address: privateKeyToAccount(privateKey).address, value: parseEther('10') });
  served = await startFacilitator(
    createLocalFacilitator({
      rpcUrl: chain.rpcUrl,
      chainId,
      privateKey,
      confirmationTimeoutMs: 20_000,
      pollingIntervalMs: 25,
    }),
  );
  facilitator = new HTTPFacilitatorClient({ url: served.url });
});

afterAll(async () => {
  await served.stop();
  await chain.process.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function payment(account = payer): Promise<PaymentPayload> {
  const signed = await new ExactEvmScheme(account).createPaymentPayload(2, requirements);
  return {
    ...signed,
    accepted: requirements,
    resource: { url: 'https://api.example.com/', description: '', mimeType: '' },
  };
}

/** A node that reports whole blocks late and, on request, makes a block only after the second request for a receipt. */
async function startLateNode() {
  let [making, receipts] = [false, 0];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const { method } = JSON.parse(body) as { method: string };
      if (making && method === 'eth_getBlockByNumber') await sleep(500);
      const headers = { 'content-type': 'application/json' };
      const answer = await (await fetch(chain.rpcUrl, { method: 'POST', headers, body })).text();
      response.writeHead(200, headers).end(answer);
      if (making && method === 'eth_getTransactionReceipt' && (receipts += 1) === 2) await client.mine({ blocks: 1 });
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    make: (on: boolean) => client.setAutomine(!(making = on)),
    close: () => server.close(),
  };
}

const balances = async () => ({
  payer: await usdcBalance(client, usdc, payer.address),
  payTo: await usdcBalance(client, usdc, payTo),
});

describe('the local facilitator over HTTP', () => {
  it('sends nothing for a contract wallet whose signature check costs more gas than a settlement may', async () => {
    const wallet = '0x0000000000000000000000000000000000b0a7e5';
    // Counts down from 100,000, then approves (EIP-1271).
    await client.setCode({
      address: wallet,
      bytecode: '0x620186a05b600190038060045750631626ba7e60e01b60005260206000f3',
    });
    await mintUsdc(client, wallet, 20_000n);
    const paid = await payment({ ...payer, address: wallet });
    const { signers } = await facilitator.getSupported();
    const sender = (signers as Record<string, `0x${string}`[]>)['eip155:*']![0]!;
    const sent = await client.getTransactionCount({ address: sender });
    expect(await facilitator.settle(paid, requirements)).toMatchObject({ success: false });
    expect(await client.getTransactionCount({ address: sender })).toBe(sent);
    expect(await usdcBalance(client, usdc, wallet)).toBe(20_000n);
  });

  it('finds the transfer on a chain that makes no blocks except for its transactions', async () => {
    const node = await startLateNode();
    const { rpcUrl } = node;
    const own = createLocalFacilitator({
      rpcUrl,
      chainId,
      privateKey,
      confirmationTimeoutMs: 10_000,
      pollingIntervalMs: 25,
    });
    const paid = await payment();
    await own.getSupported();
    await node.make(true);
    const settled = await own.settle(paid, requirements);
    await node.make(false);
    node.close();
    expect(settled).toMatchObject({ success: true });
  });

  it('verifies a signed authorization and settles it to the last atomic unit', async () => {
    const before = await balances();
    const paid = await payment();
    await expect(facilitator.verify(paid, requirements)).resolves.toMatchObject({
      isValid: true,
      payer: payer.address,
    });
    const settled = await facilitator.settle(paid, requirements);
    expect(settled).toMatchObject({ success: true, network, payer: payer.address });
    const receipt = await client.getTransactionReceipt({ hash: settled.transaction as `0x${string}` });
    expect(receipt.status).toBe('success');
    expect(await balances()).toEqual({ payer: before.payer - 20_000n, payTo: before.payTo + 20_000n });
  });

  it('refuses an authorization that was settled before, and moves nothing', async () => {
    const paid = await payment();
    await facilitator.settle(paid, requirements);
    const before = await balances();
    await expect(facilitator.verify(paid, requirements)).resolves.toMatchObject({ isValid: false });
    await expect(facilitator.settle(paid, requirements)).resolves.toMatchObject({ success: false });
    expect(await balances()).toEqual(before);
  });

  it('settles one of twenty copies of the same payment', async () => {
    const before = await balances();
    const paid = await payment();
    const settled = await Promise.all(Array.from({ length: 20 }, () => facilitator.settle(paid, requirements)));
    expect(settled.filter(({ success }) => success).length).toBeGreaterThanOrEqual(1);
    expect((await balances()).payTo - before.payTo).toBe(20_000n);
  });

  it.each(['verify', 'settle'])('answers 400 to a body for /%s that is not a payment', async (action) => {
    for (const body of ['{}', '[]', '{"paymentPayload":{},"paymentRequirements":{}}', '{"paymentPayload":']) {
      const headers = { 'content-type': 'application/json' };
      const { status } = await fetch(`${served.url}/${action}`, { method: 'POST', headers, body });
      expect(status).toBe(400);
    }
  });
});
