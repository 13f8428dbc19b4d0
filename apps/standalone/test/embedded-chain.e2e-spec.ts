import { CHAINS } from '@app/networks';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashDomain, parseAbi } from 'viem';
import { chainClient, startChain, type EmbeddedChain } from '../src/embedded/embedded-chain';
import { isRunning, stopProcess } from '../src/embedded/process-mark';
import { installUsdc, mintUsdc, MULTICALL3, usdcBalance } from '../src/embedded/usdc-contract';

const TOKEN = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
]);
/** The first account of the mnemonic `test test … junk`, whose keys are public. */
const FIRST_DEVELOPMENT_ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const HOLDER = '0x00000000000000000000000000000000000000ab';

let dir: string;
let chain: EmbeddedChain | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'chain-'));
});

afterEach(async () => {
  await chain?.process.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function start(chainId: number): Promise<EmbeddedChain> {
  chain = await startChain({ dir, chainId });
  return chain;
}

describe('the local chain', () => {
  it.each(Object.values(CHAINS))('carries the USDC of $id under its real address and identity', async (network) => {
    const { rpcUrl } = await start(network.chainId);
    const client = chainClient(rpcUrl, network.chainId);
    await installUsdc(client, network.usdc);

    const { address, name, version, decimals } = network.usdc;
    const ask = (functionName: 'name' | 'symbol' | 'version' | 'decimals' | 'DOMAIN_SEPARATOR') =>
      client.readContract({ address, abi: TOKEN, functionName });
    expect(await ask('name')).toBe(name);
    expect(await ask('symbol')).toBe('USDC');
    expect(await ask('version')).toBe(version);
    expect(await ask('decimals')).toBe(decimals);
    expect(await ask('DOMAIN_SEPARATOR')).toBe(
      hashDomain({
        domain: { name, version, chainId: BigInt(network.chainId), verifyingContract: address },
        types: {
          EIP712Domain: [
            { name: 'name', type: 'string' },
            { name: 'version', type: 'string' },
            { name: 'chainId', type: 'uint256' },
            { name: 'verifyingContract', type: 'address' },
          ],
        },
      }),
    );
  });

  it('has the domain separator of the real USDC on Base', async () => {
    const { usdc, chainId } = CHAINS['eip155:8453'];
    const client = chainClient((await start(chainId)).rpcUrl, chainId);
    await installUsdc(client, usdc);
    // As read from the contract on Base mainnet.
    expect(await client.readContract({ address: usdc.address, abi: TOKEN, functionName: 'DOMAIN_SEPARATOR' })).toBe(
      '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f',
    );
  });

  it('gives the well-known development account nothing, and answers Multicall3', async () => {
    const { usdc, chainId } = CHAINS['eip155:8453'];
    const client = chainClient((await start(chainId)).rpcUrl, chainId);
    await installUsdc(client, usdc);
    expect(await client.getBalance({ address: FIRST_DEVELOPMENT_ACCOUNT })).toBe(0n);
    const abi = parseAbi(['function getChainId() view returns (uint256)']);
    expect(await client.readContract({ address: MULTICALL3, abi, functionName: 'getChainId' })).toBe(8453n);
  });

  it('mints for concurrent callers', async () => {
    const { usdc, chainId } = CHAINS['eip155:8453'];
    const client = chainClient((await start(chainId)).rpcUrl, chainId);
    await installUsdc(client, usdc);
    await Promise.all(Array.from({ length: 10 }, () => mintUsdc(client, HOLDER, 1_000_000n)));
    expect(await usdcBalance(client, usdc, HOLDER)).toBe(10_000_000n);
  });

  it('finishes an installation that was interrupted', async () => {
    const { usdc, chainId } = CHAINS['eip155:8453'];
    const client = chainClient((await start(chainId)).rpcUrl, chainId);
    await installUsdc(client, usdc);
    await client.setCode({ address: usdc.address, bytecode: '0x00' });
    await installUsdc(client, usdc);
    await mintUsdc(client, HOLDER, 5n);
    expect(await usdcBalance(client, usdc, HOLDER)).toBe(5n);
  });
});

describe('the local chain started again', () => {
  const { usdc, chainId } = CHAINS['eip155:8453'];

  async function startWithMoney(): Promise<EmbeddedChain> {
    const started = await start(chainId);
    const client = chainClient(started.rpcUrl, chainId);
    await installUsdc(client, usdc);
    await mintUsdc(client, HOLDER, 7n);
    return started;
  }

  async function balanceAfterStart(): Promise<bigint> {
    const { rpcUrl } = await start(chainId);
    return usdcBalance(chainClient(rpcUrl, chainId), usdc, HOLDER);
  }

  it('keeps its balances and follows the time of day', async () => {
    await (await startWithMoney()).process.stop();
    expect(await balanceAfterStart()).toBe(7n);
    const client = chainClient(chain!.rpcUrl, chainId);
    await client.mine({ blocks: 1 });
    const { timestamp } = await client.getBlock();
    expect(Math.abs(Date.now() / 1_000 - Number(timestamp))).toBeLessThan(5);
  });

  it('stops the process that a crash left running, and keeps its balances', async () => {
    const orphan = (await startWithMoney()).process.mark;
    expect(await balanceAfterStart()).toBe(7n);
    expect(isRunning(orphan)).toBe(false);
  });

  it('returns to the last complete state when the file was truncated', async () => {
    await (await startWithMoney()).process.stop();
    await (await start(chainId)).process.stop();
    const state = join(dir, 'state.json');
    writeFileSync(state, readFileSync(state, 'utf8').slice(0, 5_000));
    expect(await balanceAfterStart()).toBe(7n);
  });

  it('keeps the saved state even when it is killed right afterwards', async () => {
    const started = await startWithMoney();
    const client = chainClient(started.rpcUrl, chainId);
    for (let paid = 8n; paid < 14n; paid += 1n) {
      await mintUsdc(client, HOLDER, 1n);
      await started.keep();
    }
    await stopProcess(started.process.mark, 'SIGKILL', 1_000);
    expect(await balanceAfterStart()).toBe(13n);
  });

  it('says why it exited when somebody kills it', async () => {
    const { process: anvil } = await start(chainId);
    await stopProcess(anvil.mark, 'SIGKILL', 1_000);
    await expect(anvil.ended).resolves.toBe('chain ended with SIGKILL');
  });
});
