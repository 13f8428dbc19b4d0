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
/** An authorization may be used before it is presented: the longest validity accepted, and clocks that differ. */
const EARLIER_SEC = 900;

/** State and events of authorizations, as the token's contract has them. */
export class AuthorizationEvents {
  private readonly client: PublicClient;

  /** @param rpcUrls RPC endpoints, the next one is used when one fails */
  constructor(rpcUrls: readonly string[]) {
    const nodes = rpcUrls.map((url) => http(url, { timeout: RPC_TIMEOUT_MS, retryCount: 1 }));
    this.client = createPublicClient({ transport: fallback(nodes, { retryCount: 0 }) });
  }

  /** @throws when no node gives an answer */
  balanceOf({ asset, payer }: Pick<AuthorizationQuery, 'asset' | 'payer'>): Promise<bigint> {
    const args = [payer as Address] as const;
    return this.client.readContract({ address: asset as Address, abi: TOKEN, functionName: 'balanceOf', args });
  }

  /** @throws when no node gives an answer */
  async hasCode({ payer }: Pick<AuthorizationQuery, 'payer'>): Promise<boolean> {
    return (await this.client.getCode({ address: payer as Address })) !== undefined;
  }

  /** @throws when no node gives an answer */
  async finalBlock(): Promise<bigint> {
    return (await this.client.getBlock({ blockTag: 'finalized', includeTransactions: false })).number;
  }

  /**
   * @param stated read before the search: one call, where it says the truth
   * @throws when no node gives an answer
   */
  async fateOf(query: AuthorizationQuery, stated?: string): Promise<AuthorizationFate> {
    const told = stated === undefined ? undefined : await this.readUse(stated as Hash, query).catch(notFound);
    return told?.kind === 'settled' ? told : this.search(query);
  }

  private async search(query: AuthorizationQuery): Promise<AuthorizationFate> {
    // The state of a block whose time is known: a lagging node may not know the authorization yet.
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

  /** Transaction of the event, if it is in the range; there is at most one in all. */
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
   * What the use moved. One transaction may carry many authorizations of a payer: a transfer beside this one, under
   * another, pays for that other.
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

/** The stated transaction may not exist. */
function notFound(error: unknown): undefined {
  if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
}
