import {
  BaseError,
  createPublicClient,
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  ExecutionRevertedError,
  fallback,
  http,
  parseAbi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';

/** https://eips.ethereum.org/EIPS/eip-1271 */
const WALLET = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
const ACCEPTED = '0x1626ba7e';
/** The signature of a wallet that is not deployed yet ends with this (https://eips.ethereum.org/EIPS/eip-6492). */
const NOT_DEPLOYED = '6492649264926492649264926492649264926492649264926492649264926492';

const RPC_TIMEOUT_MS = 4_000;
/** Ten times the cost of verifying a passkey. A contract that needs more is rejected. */
const MAX_GAS = 3_000_000n;

/** Error messages of nodes for failed code, other than a plain revert. */
const FAILED = /revert|out of ?gas|invalid opcode|invalid jump|stack (?:over|under)flow|EVM error/i;

/** Contract wallets, read through the nodes of a chain. */
export class ContractWallets {
  private readonly client: PublicClient;

  /** @param rpcUrls RPC endpoints; if one fails, the next is used */
  constructor(rpcUrls: readonly string[]) {
    const nodes = rpcUrls.map((url) => http(url, { timeout: RPC_TIMEOUT_MS, retryCount: 0 }));
    this.client = createPublicClient({ transport: fallback(nodes, { retryCount: 0 }) });
  }

  /** Whether a wallet accepts a signature as its own. @throws if no node answers */
  async accepts(wallet: string, digest: string, signature: string): Promise<boolean> {
    const [address, hash, signed] = [wallet.toLowerCase() as Address, digest as Hex, signature as Hex];
    if (signature.toLowerCase().endsWith(NOT_DEPLOYED)) return this.acceptsBeforeDeployment(address, hash, signed);
    if ((await this.client.getCode({ address })) === undefined) return false;
    const data = encodeFunctionData({ abi: WALLET, functionName: 'isValidSignature', args: [hash, signed] });
    return (await this.answerOf({ to: address, data }))?.startsWith(ACCEPTED) ?? false;
  }

  /** Deploys the wallet within the simulated call only. */
  private async acceptsBeforeDeployment(address: Address, hash: Hex, signature: Hex): Promise<boolean> {
    const data = encodeDeployData({
      abi: erc6492SignatureValidatorAbi,
      args: [address, hash, signature],
      bytecode: erc6492SignatureValidatorByteCode,
    });
    const answer = await this.answerOf({ data });
    return answer !== undefined && BigInt(answer) === 1n;
  }

  /** Undefined if the code fails, because that is the contract's answer and not a node failure. */
  private async answerOf(call: { readonly to?: Address; readonly data: Hex }): Promise<Hex | undefined> {
    try {
      return (await this.client.call({ ...call, gas: MAX_GAS })).data;
    } catch (error) {
      if (isOfTheCode(error)) return undefined;
      throw error;
    }
  }
}

function isOfTheCode(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (error.walk((cause) => cause instanceof ExecutionRevertedError)) return true;
  const words = error.walk((cause) => cause instanceof Error && FAILED.test(cause.message));
  return words !== null;
}
