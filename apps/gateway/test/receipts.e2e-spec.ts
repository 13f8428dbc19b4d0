import { judgeReceipt, ViemChainReader, type ReceiptCheck, createLocalFacilitator } from '@app/payments';
import { CHAINS } from '@app/networks';
import { parseEther, type Address, type Hash } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { startFacilitator, type EmbeddedFacilitator } from '../../standalone/src/embedded/embedded-facilitator';
import { balanceOf, newPayer, type Payer } from '../../../test/support/payer';
import { startRpcProxy } from '../../../test/support/rpc-proxy';
import { startService, type Service } from '../../../test/support/service';
import { startUsdcChain, type UsdcChain } from '../../../test/support/usdc-chain';
import { until } from '../../../test/support/until';

const AMOUNT = 20_000n;
const NOWHERE: Hash = `0x${'ab'.repeat(32)}`;
const newAddress = (): Address => privateKeyToAddress(generatePrivateKey());

let base: UsdcChain;
let sepolia: UsdcChain;
beforeAll(async () => {
  [base, sepolia] = await Promise.all([startUsdcChain('eip155:8453'), startUsdcChain('eip155:84532')]);
});
afterAll(() => Promise.all([base.stop(), sepolia.stop()]));

describe('paid receipt verification', () => {
  let service: Service;
  let facilitator: EmbeddedFacilitator;
  /** Created beforehand, because minting makes blocks, and blocks make a transfer final. */
  let payers: Payer[];
  beforeAll(async () => {
    const privateKey = generatePrivateKey();
    await base.client.setBalance({ address: privateKeyToAddress(privateKey), value: parseEther('100') });
    const times = { confirmationTimeoutMs: 20_000, pollingIntervalMs: 25 };
    facilitator = await startFacilitator(
      createLocalFacilitator({ rpcUrl: base.rpcUrl, chainId: 8453, privateKey, ...times }),
    );
    payers = await Promise.all(Array.from({ length: 12 }, () => newPayer(1_000_000n, base.rpcUrl)));
    service = await startService({
      worker: false,
      env: { X402_FACILITATOR_URL: facilitator.url, RPC_URL_8453: base.rpcUrl, RPC_URL_84532: sepolia.rpcUrl },
    });
  });
  afterAll(async () => {
    await service.stop();
    await facilitator.stop();
  });

  async function verify(tx: Hash, payTo: Address, query = `amount=${AMOUNT}`) {
    const payer = payers.pop()!;
    const response = await payer.fetch(`${service.baseUrl}/api/v1/receipts/${tx}/verify?payTo=${payTo}&${query}`);
    const { sku, data } = (await response.json()) as { sku: string; data: ReceiptCheck & { foundOn: string | null } };
    expect({ status: response.status, sku }).toEqual({ status: 200, sku: 'receipt_verify' });
    return { data, cost: 1_000_000n - (await payer.balance()), receipt: response.headers.get('payment-response') };
  }

  it('follows a transfer from unconfirmed to confirmed to finalized', async () => {
    const payTo = newAddress();
    const tx = await base.transfer(payTo, AMOUNT);
    const { blockNumber } = await base.client.getTransactionReceipt({ hash: tx });
    const before = await balanceOf(service.payTo, base.rpcUrl);
    const first = await verify(tx, payTo);
    expect(first.data).toEqual({
      verdict: 'settled',
      finality: 'unconfirmed',
      final: false,
      txHash: tx,
      network: 'eip155:8453',
      asset: CHAINS['eip155:8453'].usdc.address,
      payTo,
      amount: '20000',
      blockNumber: Number(blockNumber),
      observed: [{ from: base.payer.toLowerCase(), to: payTo.toLowerCase(), value: '20000', logIndex: 0 }],
      ...{ aggregate: false, overpaid: false, mint: false, selfTransfer: false },
      ...{ retryAfterSec: null, foundOn: null },
    });
    expect(first.cost).toBe(1_000n);
    expect(await balanceOf(service.payTo, base.rpcUrl)).toBe(before + 1_000n); // Mines one more block.
    expect((await verify(tx, payTo, 'amountUsd=0.02')).data).toMatchObject({ finality: 'confirmed', final: false });
    expect((await verify(tx, payTo, 'amount=20000&asset=usdc')).data).toMatchObject({
      finality: 'finalized',
      final: true,
    });
  });

  it('reads another network on request, and names the right network of a hash', async () => {
    const payTo = newAddress();
    const tx = await sepolia.transfer(payTo, AMOUNT);
    const there = await verify(tx, payTo, `amount=${AMOUNT}&network=eip155:84532`);
    expect(there.data).toMatchObject({ verdict: 'settled', network: 'eip155:84532' });
    const here = await verify(tx, payTo);
    expect(here.data).toMatchObject({ verdict: 'not_found', finality: null, foundOn: 'eip155:84532' });
    expect(here.cost).toBe(1_000n);
  });

  it('distinguishes a mismatch, a revert and an unknown transaction', async () => {
    const payTo = newAddress();
    const other = await verify(await base.transfer(newAddress(), AMOUNT), payTo);
    expect(other.data).toMatchObject({ verdict: 'mismatch', observed: [], finality: 'unconfirmed' });
    expect((await verify(await base.revert(payTo), payTo)).data).toMatchObject({ verdict: 'reverted', observed: [] });
    expect((await verify(NOWHERE, payTo)).data).toMatchObject({
      verdict: 'not_found',
      finality: null,
      final: false,
      blockNumber: null,
      retryAfterSec: 5,
    });
  });

  it('does not charge if the chain cannot be read', async () => {
    const proxy = await startRpcProxy(base.rpcUrl);
    proxy.down = true;
    const blind = await startService({
      worker: false,
      env: { RPC_URL_8453: proxy.url, RPC_URL_84532: '' },
    });
    for (const network of ['eip155:8453', 'eip155:84532']) {
      const payer = await newPayer();
      const query = `payTo=${newAddress()}&amount=1&network=${network}`;
      const response = await payer.fetch(`${blind.baseUrl}/api/v1/receipts/${NOWHERE}/verify?${query}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        sku: 'receipt_verify',
        data: { verdict: 'unavailable', finality: null, final: false },
      });
      expect(response.headers.get('payment-response')).toBeNull();
      expect(await payer.balance()).toBe(1_000_000n);
    }
    await blind.stop();
    await proxy.close();
  });

  it('uses the second node if the first is down', async () => {
    const proxy = await startRpcProxy(base.rpcUrl);
    proxy.down = true;
    const careful = await startService({
      worker: false,
      env: { X402_FACILITATOR_URL: facilitator.url, RPC_URL_8453: `${proxy.url},${base.rpcUrl}` },
    });
    const payTo = newAddress();
    const tx = await base.transfer(payTo, AMOUNT);
    const payer = payers.pop()!;
    const response = await payer.fetch(
      `${careful.baseUrl}/api/v1/receipts/${tx}/verify?payTo=${payTo}&amount=${AMOUNT}`,
    );
    expect(await response.json()).toMatchObject({ data: { verdict: 'settled' } });
    expect(proxy.calls.length).toBeGreaterThan(0);
    await careful.stop();
    await proxy.close();
  });
});

describe('what the logs of a transaction prove', () => {
  const judge = async (tx: Hash, payTo: Address, amount = AMOUNT): Promise<ReceiptCheck> =>
    judgeReceipt(await new ViemChainReader(8453, [base.rpcUrl]).read(tx), {
      txHash: tx,
      network: 'eip155:8453',
      asset: CHAINS['eip155:8453'].usdc.address,
      payTo,
      amount,
    });

  it('finds one payment among many in a bundle of a third party', async () => {
    const payees = [newAddress(), newAddress(), newAddress()];
    const tx = await base.bundle(payees.map((payee, index) => base.pull(payee, AMOUNT + BigInt(index))));
    for (const [index, payee] of payees.entries()) {
      const check = await judge(tx, payee, AMOUNT + BigInt(index));
      expect(check).toMatchObject({ verdict: 'settled', observed: [{ from: base.payer.toLowerCase() }] });
    }
  });

  it('finds a transaction pending until it is mined', async () => {
    const payTo = newAddress();
    await base.client.setAutomine(false);
    const sent = base.transfer(payTo, AMOUNT);
    try {
      let pending: readonly Hash[] = [];
      await until('a transaction that is not mined', async () => {
        pending = (await base.client.getBlock({ blockTag: 'pending' })).transactions;
        return pending.length > 0;
      });
      expect(await judge(pending[0]!, payTo)).toMatchObject({ verdict: 'pending', finality: null, retryAfterSec: 5 });
    } finally {
      await base.client.setAutomine(true);
      await base.client.mine({ blocks: 1 });
    }
    expect(await judge(await sent, payTo)).toMatchObject({ verdict: 'settled' });
  });

  it('no longer finds a transaction whose block was reorganized away', async () => {
    const payTo = newAddress();
    const snapshot = await base.client.snapshot();
    const tx = await base.transfer(payTo, AMOUNT);
    expect((await judge(tx, payTo)).verdict).toBe('settled');
    await base.client.revert({ id: snapshot });
    expect((await judge(tx, payTo)).verdict).toBe('not_found');
  });
});

describe('unreliable nodes', () => {
  const claim = (payTo: Address) => ({
    txHash: NOWHERE,
    network: 'eip155:8453',
    asset: CHAINS['eip155:8453'].usdc.address,
    payTo,
    amount: AMOUNT,
  });

  it('are not believed with a receipt from a block that is not in the chain', async () => {
    const proxy = await startRpcProxy(base.rpcUrl);
    proxy.meddle = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && String(params?.[0]).startsWith('0x')
        ? { ...(result as object), hash: NOWHERE }
        : result;
    const tx = await base.transfer(newAddress(), AMOUNT);
    expect(await new ViemChainReader(8453, [proxy.url]).read(tx)).toEqual({ kind: 'unavailable' });
    await proxy.close();
  });

  it('of another chain are not believed', async () => {
    const payTo = newAddress();
    const tx = await sepolia.transfer(payTo, AMOUNT);
    expect(await new ViemChainReader(8453, [sepolia.rpcUrl]).read(tx)).toEqual({ kind: 'unavailable' });
    expect(await new ViemChainReader(8453, [sepolia.rpcUrl, base.rpcUrl]).read(tx)).toEqual({ kind: 'unavailable' });
  });

  it('must both report an unknown transaction, if two are configured', async () => {
    const proxy = await startRpcProxy(base.rpcUrl);
    const reader = new ViemChainReader(8453, [base.rpcUrl, proxy.url]);
    expect(await reader.read(NOWHERE)).toEqual({ kind: 'not_found' });
    proxy.down = true;
    expect(await reader.read(NOWHERE)).toEqual({ kind: 'unavailable' });
    await proxy.close();
  });

  it('that forget a transaction do not hide it if others have it', async () => {
    const proxy = await startRpcProxy(base.rpcUrl);
    proxy.meddle = ({ method }, result) => (/Receipt|TransactionByHash/.test(method) ? null : result);
    const payTo = newAddress();
    const tx = await base.transfer(payTo, AMOUNT);
    const read = await new ViemChainReader(8453, [proxy.url, base.rpcUrl]).read(tx);
    expect(judgeReceipt(read, claim(payTo)).verdict).toBe('settled');
    await proxy.close();
  });

  it('without a safe block confirm after ten more blocks', async () => {
    const proxy = await startRpcProxy(base.rpcUrl);
    proxy.meddle = ({ params }, result) => (params?.[0] === 'safe' || params?.[0] === 'finalized' ? undefined : result);
    const reader = new ViemChainReader(8453, [proxy.url]);
    const payTo = newAddress();
    const tx = await base.transfer(payTo, AMOUNT);
    await base.client.mine({ blocks: 9 });
    expect(judgeReceipt(await reader.read(tx), claim(payTo)).finality).toBe('unconfirmed');
    await base.client.mine({ blocks: 1 });
    expect(judgeReceipt(await reader.read(tx), claim(payTo))).toMatchObject({ finality: 'confirmed', final: false });
    await proxy.close();
  });
});
