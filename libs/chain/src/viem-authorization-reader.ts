import {
  createPublicClient,
  fallback,
  http,
  isAddressEqual,
  parseAbi,
  parseEventLogs,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import type { AuthorizationFate, AuthorizationQuery, AuthorizationReader } from './authorization-fate';

const TOKEN = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/** Blocks searched backwards for the use of an authorization: an hour on Base, far beyond its validity. Also the cap of public RPC nodes. */
const SEARCH_BLOCKS = 1_800n;
const RPC_TIMEOUT_MS = 5_000;

/**
 * Reads `authorizationState` and, when used, the `AuthorizationUsed` event and the transfer beside it (EIP-3009). A
 * used authorization without our transfer was cancelled or spent elsewhere.
 */
export class ViemAuthorizationReader implements AuthorizationReader {
  private readonly client: PublicClient;

  /** @param rpcUrls RPC endpoints, the next one asked when one fails */
  constructor(rpcUrls: readonly string[]) {
    const nodes = rpcUrls.map((url) => http(url, { timeout: RPC_TIMEOUT_MS, retryCount: 1 }));
    this.client = createPublicClient({ transport: fallback(nodes, { retryCount: 0 }) });
  }

  async fateOf(query: AuthorizationQuery): Promise<AuthorizationFate> {
    try {
      return await this.read(query);
    } catch {
      return { kind: 'unreadable' };
    }
  }

  private async read(query: AuthorizationQuery): Promise<AuthorizationFate> {
    const [asset, payer, nonce] = [query.asset as Address, query.payer as Address, query.nonce as Hex];
    const used = await this.client.readContract({
      address: asset,
      abi: TOKEN,
      functionName: 'authorizationState',
      args: [payer, nonce],
    });
    if (!used) return { kind: 'unused' };
    const head = await this.client.getBlockNumber({ cacheTime: 0 });
    const [log] = await this.client.getLogs({
      address: asset,
      event: TOKEN[1],
      args: { authorizer: payer, nonce },
      fromBlock: head > SEARCH_BLOCKS ? head - SEARCH_BLOCKS : 0n,
      toBlock: head,
    });
    if (!log) return { kind: 'void' };
    const receipt = await this.client.getTransactionReceipt({ hash: log.transactionHash });
    const moved = parseEventLogs({ abi: TOKEN, eventName: 'Transfer', logs: receipt.logs }).some(
      ({ address, args }) =>
        isAddressEqual(address, asset) &&
        isAddressEqual(args.from, payer) &&
        isAddressEqual(args.to, query.payTo as Address) &&
        args.value === query.amount,
    );
    return receipt.status === 'success' && moved
      ? { kind: 'settled', transaction: receipt.transactionHash }
      : { kind: 'void' };
  }
}
