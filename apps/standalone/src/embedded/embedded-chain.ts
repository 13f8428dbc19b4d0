import { renameSync } from 'node:fs';
import { join } from 'node:path';
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
import { anvilBinary } from './anvil-binary';
import { startProcess, type EmbeddedProcess, type SpawnedProcess } from './embedded-process';
import { freePort } from './free-port';
import { privateDirectory, readIfThere, writePrivateFile } from './private-file';

export interface EmbeddedChain {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly process: EmbeddedProcess;
}

export interface ChainOptions {
  /** Holds the chain's state and log; kept from one start to the next. */
  readonly dir: string;
  readonly chainId: number;
  /** Blocks until `safe` and twice that until `finalized`; anvil's own default is 32. */
  readonly slotsInAnEpoch?: number;
  readonly onSpawn?: (spawned: SpawnedProcess) => void;
}

/** A client that may do on the chain what only a development node allows: set code, balances and storage. */
export type ChainClient = TestClient<'anvil', HttpTransport, Chain> &
  PublicActions<HttpTransport, Chain> &
  WalletActions<Chain>;

/**
 * Starts anvil on a free port of 127.0.0.1. It has no development accounts: their keys are public knowledge. A block is
 * mined for each transaction at wall-clock time; the state is on disk within a second and survives a kill.
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
    ...(options.onSpawn ? { onSpawn: options.onSpawn } : {}),
    prepare: () => {
      restoreState(dir);
    },
    isReady: () => serves(rpcUrl, chainId),
  });
  return { rpcUrl, chainId, process };
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

/** The chain mines each transaction at once; one that is not mined by then never will be, in milliseconds. */
const MINED_WITHIN_MS = 30_000;

/** The receipt of a transaction on a local chain. @throws when it is not mined. */
export function mined(client: ChainClient, hash: Hash): Promise<TransactionReceipt> {
  return client.waitForTransactionReceipt({ hash, timeout: MINED_WITHIN_MS });
}

/**
 * Anvil rewrites its state file in place, so a kill at that moment cuts it short. Each start keeps a copy of a whole one
 * and goes back to it when need be; the cut one stays beside it for whoever wants to look.
 */
function restoreState(dir: string): void {
  const [state, copy] = [stateFile(dir), join(dir, 'state.last-start.json')];
  const text = readIfThere(state);
  if (text === undefined) return;
  if (isJson(text)) {
    writePrivateFile(copy, text);
    return;
  }
  renameSync(state, join(dir, 'state.cut-short.json'));
  const last = readIfThere(copy);
  if (last !== undefined) writePrivateFile(state, last);
}

function stateFile(dir: string): string {
  return join(dir, 'state.json');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function serves(rpcUrl: string, chainId: number): Promise<boolean> {
  try {
    return (await chainClient(rpcUrl, chainId).getChainId()) === chainId;
  } catch {
    return false;
  }
}
