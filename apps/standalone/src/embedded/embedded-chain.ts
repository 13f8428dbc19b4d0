import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  createTestClient,
  defineChain,
  http,
  publicActions,
  walletActions,
  type Chain,
  type Hash,
  type HttpTransport,
  type PublicActions,
  type TestClient,
  type TransactionReceipt,
  type WalletActions,
} from 'viem';
import { defined } from '@app/platform';
import { startProcess, type EmbeddedProcess, type SpawnedProcess } from './embedded-process';
import { freePort } from './free-port';
import { privateDirectory, readIfThere, writePrivateFile } from './private-file';

export interface EmbeddedChain {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly process: EmbeddedProcess;
  /** Writes the state to disk. Blocks that were mined before the call then survive a kill. */
  readonly keep: () => Promise<void>;
}

export interface ChainOptions {
  /** The directory of the chain's state and log, kept between starts. */
  readonly dir: string;
  readonly chainId: number;
  /** Blocks until `safe` and twice that until `finalized`; anvil's own default is 32. */
  readonly slotsInAnEpoch?: number;
  readonly onSpawn?: (spawned: SpawnedProcess) => void;
}

/** A client that can set code, balances and storage, which only a development node allows. */
export type ChainClient = TestClient<'anvil', HttpTransport, Chain> &
  PublicActions<HttpTransport, Chain> &
  WalletActions<Chain>;

/**
 * Starts anvil on a free port of 127.0.0.1, without its development accounts, because their keys are public. It
 * mines a block for each transaction, with the current time. The state is written to disk within a second, or at
 * once by `keep`, and survives a kill.
 */
export async function startChain(options: ChainOptions): Promise<EmbeddedChain> {
  const { dir, chainId } = options;
  privateDirectory(dir);
  const port = await freePort();
  const rpcUrl = `http://127.0.0.1:${port}`;
  const process = await startProcess({
    name: 'chain',
    command: anvilBinary(),
    args: [
      ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId)],
      ...['--accounts', '0', '--order', 'fifo', '--silent'],
      ...['--state', stateFile(dir), '--state-interval', '1', '--prune-history', '64'],
      ...(options.slotsInAnEpoch === undefined ? [] : ['--slots-in-an-epoch', String(options.slotsInAnEpoch)]),
    ],
    stateDir: dir,
    stopSignal: 'SIGTERM',
    ...defined({ onSpawn: options.onSpawn }),
    prepare: () => {
      restoreState(dir);
    },
    isReady: () => serves(rpcUrl, chainId),
  });
  let keeping = Promise.resolve();
  const keep = (): Promise<void> => {
    // One after the other, so that an older state is never written last.
    keeping = keeping.catch(() => undefined).then(() => keepState(dir, rpcUrl, chainId));
    return keeping;
  };
  return { rpcUrl, chainId, process, keep };
}

export function chainClient(rpcUrl: string, chainId: number): ChainClient {
  const chain = defineChain({
    id: chainId,
    name: 'local chain',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  return createTestClient({ mode: 'anvil', chain, transport: http(rpcUrl), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);
}

/**
 * The chain mines each transaction at once. A transaction that is not mined within this many milliseconds never will
 * be.
 */
const MINED_WITHIN_MS = 30_000;

/** The receipt of a transaction on a local chain. @throws if it is not mined */
export function mined(client: ChainClient, hash: Hash): Promise<TransactionReceipt> {
  // While viem looks for replacements it misses the new block, and another block may never come.
  return client.waitForTransactionReceipt({ hash, timeout: MINED_WITHIN_MS, checkReplacement: false });
}

/** Saves the state. `anvil_dumpState` returns the content of anvil's own state file, compressed. */
async function keepState(dir: string, rpcUrl: string, chainId: number): Promise<void> {
  const state = await chainClient(rpcUrl, chainId).dumpState();
  writePrivateFile(keptFile(dir), gunzipSync(Buffer.from(state.slice(2), 'hex')).toString('utf8'));
}

/**
 * Anvil rewrites its state file in place and at most once a second, so a kill can leave the file truncated or older
 * than the state we kept. Each start continues from the state with the most blocks. A truncated file is kept next to
 * it as evidence.
 */
function restoreState(dir: string): void {
  const [state, kept] = [stateFile(dir), keptFile(dir)];
  const [own, copy] = [readIfThere(state), readIfThere(kept)];
  if (own !== undefined && blocksOf(own) === undefined) renameSync(state, join(dir, 'state.cut-short.json'));
  const [ownBlocks, keptBlocks] = [blocksOf(own) ?? -1, blocksOf(copy) ?? -1];
  if (copy !== undefined && keptBlocks > ownBlocks) writePrivateFile(state, copy);
  else if (own !== undefined && ownBlocks >= 0) writePrivateFile(kept, own);
}

function keptFile(dir: string): string {
  return join(dir, 'state.kept.json');
}

function stateFile(dir: string): string {
  return join(dir, 'state.json');
}

/** The number of blocks in a state file; undefined if the file is incomplete. */
function blocksOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const { best_block_number: best } = JSON.parse(text) as { readonly best_block_number?: unknown };
    return Number(best ?? 0);
  } catch {
    return undefined;
  }
}

async function serves(rpcUrl: string, chainId: number): Promise<boolean> {
  try {
    return (await chainClient(rpcUrl, chainId).getChainId()) === chainId;
  } catch {
    return false;
  }
}

const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
};

/** Path of the anvil program that npm's `@foundry-rs/anvil` brings for this platform (glibc 2.35 or newer on Linux). */
function anvilBinary(): string {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  try {
    if (platform === undefined) throw new Error('no such build');
    const launcher = dirname(require.resolve('@foundry-rs/anvil/package.json'));
    return require.resolve(`@foundry-rs/anvil-${platform}/bin/anvil`, { paths: [launcher] });
  } catch (cause) {
    throw new Error(
      `the local chain (npm package @foundry-rs/anvil) is not installed for ${process.platform}-${process.arch}; ` +
        'set X402_FACILITATOR_URL, X402_PAY_TO and RPC_URL_8453 to use a real one',
      { cause },
    );
  }
}
