import {
  createPublicClient,
  fallback,
  http,
  isAddressEqual,
  parseAbi,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  type Address,
  type Hash,
  type Hex,
  type PublicClient,
} from 'viem';
import { authorizedTransfers } from './authorized-transfers';
import { blockBefore, rangesBackwards } from './block-search';
import type { AuthorizationFate, AuthorizationQuery } from './authorization-fate';

const TOKEN = parseAbi([
  'function balanceOf(address holder) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const [, , USED, CANCELED, TRANSFER] = TOKEN;

const RPC_TIMEOUT_MS = 5_000;
/**
 * The search starts this long before the payment was presented: the longest accepted validity plus clock differences.
 */
const EARLIER_SEC = 900;

/** State and events of authorizations, from the token's contract. */
export class AuthorizationEvents {
  private readonly client: PublicClient;

  /** @param rpcUrls RPC endpoints; if one fails, the next is used */
  constructor(rpcUrls: readonly string[]) {
    const nodes = rpcUrls.map((url) => http(url, { timeout: RPC_TIMEOUT_MS, retryCount: 1 }));
    this.client = createPublicClient({ transport: fallback(nodes, { retryCount: 0 }) });
  }

  /** @throws if no node answers */
  balanceOf({ asset, payer }: Pick<AuthorizationQuery, 'asset' | 'payer'>): Promise<bigint> {
    const args = [payer as Address] as const;
    return this.client.readContract({ address: asset as Address, abi: TOKEN, functionName: 'balanceOf', args });
  }

  /** @throws if no node answers */
  async hasCode({ payer }: Pick<AuthorizationQuery, 'payer'>): Promise<boolean> {
    return (await this.client.getCode({ address: payer as Address })) !== undefined;
  }

  /** @throws if no node answers */
  async finalBlock(): Promise<bigint> {
    return (await this.client.getBlock({ blockTag: 'finalized', includeTransactions: false })).number;
  }

  /**
   * @param stated a transaction to read before the search; if it is the right one, a single call is enough
   * @throws if no node answers
   */
  async fateOf(query: AuthorizationQuery, stated?: string): Promise<AuthorizationFate> {
    const told = stated === undefined ? undefined : await this.readUse(stated as Hash, query).catch(notFound);
    return told?.kind === 'settled' ? told : this.search(query);
  }

  private async search(query: AuthorizationQuery): Promise<AuthorizationFate> {
    // The state is read at a block with a known time, because a lagging node may not know the authorization yet.
    const head = await this.client.getBlock({ includeTransactions: false });
    const taken = await this.client.readContract({
      blockNumber: head.number,
      address: query.asset as Address,
      abi: TOKEN,
      functionName: 'authorizationState',
      args: [query.payer as Address, query.nonce as Hex],
    });
    if (!taken) return { kind: 'unused', asOf: new Date(Number(head.timestamp) * 1_000) };
    const since = BigInt(Math.floor(query.createdAt.getTime() / 1_000) - EARLIER_SEC);
    const first = await blockBefore(since, head, async (blockNumber) => this.client.getBlock({ blockNumber }));
    for (const range of rangesBackwards(first, head.number)) {
      const [used, canceled] = await Promise.all([
        this.events(USED, query, range),
        this.events(CANCELED, query, range),
      ]);
      if (used !== undefined) return this.readUse(used, query);
      if (canceled !== undefined) return { kind: 'void' };
    }
    return { kind: 'unreadable' };
  }

  /** The transaction of the event, if it is in the range; there is at most one overall. */
  private async events(
    event: typeof USED | typeof CANCELED,
    { asset, payer, nonce }: AuthorizationQuery,
    range: { readonly fromBlock: bigint; readonly toBlock: bigint },
  ): Promise<Hash | undefined> {
    const args = { authorizer: payer as Address, nonce: nonce as Hex };
    const [log] = await this.client.getLogs({ address: asset as Address, event, args, ...range });
    return log?.transactionHash;
  }

  /**
   * Reads what the use of the authorization transferred. One transaction may use many authorizations of a payer, so a
   * transfer next to another use pays for that one.
   */
  private async readUse(transaction: Hash, query: AuthorizationQuery): Promise<AuthorizationFate> {
    const { logs, blockNumber } = await this.client.getTransactionReceipt({ hash: transaction });
    const ofToken = logs.filter(({ address }) => isAddressEqual(address, query.asset as Address));
    const moves = parseEventLogs({ abi: [TRANSFER], logs: ofToken }).map(({ args, logIndex, blockNumber: block }) => {
      return { transaction, logIndex, block, payer: args.from, amount: args.value, payee: args.to };
    });
    const uses = parseEventLogs({ abi: [USED], logs: ofToken }).map(({ args, logIndex }) => {
      return { transaction, logIndex, authorizer: args.authorizer, nonce: args.nonce };
    });
    const paid = authorizedTransfers(moves, uses).some(
      ({ payer, payee, amount, nonce }) =>
        nonce === query.nonce.toLowerCase() &&
        isAddressEqual(payer, query.payer as Address) &&
        isAddressEqual(payee, query.payTo as Address) &&
        amount === query.amount,
    );
    return paid ? { kind: 'settled', transaction, block: blockNumber } : { kind: 'void' };
  }
}

/** The given transaction may not exist. */
function notFound(error: unknown): undefined {
  if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
}
