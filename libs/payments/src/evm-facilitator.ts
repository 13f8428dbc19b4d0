import { inTurn } from '@app/platform';
import { x402Facilitator } from '@x402/core/facilitator';
import type { FacilitatorClient } from '@x402/core/server';
import type { SupportedResponse } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createWalletClient, defineChain, http, publicActions, type Hex, type VerifyTypedDataParameters } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { NodeWatch } from './node-watch';

export interface LocalFacilitatorOptions {
  readonly rpcUrl: string;
  readonly chainId: number;
  /** The key of the account that sends the transactions and pays their gas. It never holds the buyers' money. */
  readonly privateKey: Hex;
  /** How long a settlement waits for its receipt before it reports `settlement_pending`. */
  readonly confirmationTimeoutMs: number;
  /** How often the receipt is polled; short for a chain that mines on demand. */
  readonly pollingIntervalMs: number;
}

/** The implementation of `createLocalFacilitator`. */
export function openEvmFacilitator(options: LocalFacilitatorOptions): FacilitatorClient {
  const facilitator = new x402Facilitator();
  const [client, watch] = [clientOf(options), new NodeWatch()];
  facilitator.register(`eip155:${options.chainId}`, new ExactEvmScheme(signerFor(options, client, watch)));
  return {
    verify: (payload, requirements) =>
      watch.judge(
        () => facilitator.verify(payload, requirements),
        ({ isValid }) => isValid,
      ),
    settle: (payload, requirements) =>
      watch.judge(
        () => facilitator.settle(payload, requirements),
        ({ success }) => success,
      ),
    getSupported: async () => {
      const chainId = await client.getChainId();
      if (chainId !== options.chainId) throw new Error(`the node serves chain ${chainId}, not ${options.chainId}`);
      return facilitator.getSupported() as SupportedResponse;
    },
  };
}

/** Limits how long an unresponsive node can delay a buyer. */
const RPC_TIMEOUT_MS = 5_000;

function clientOf(options: LocalFacilitatorOptions) {
  const chain = defineChain({
    id: options.chainId,
    name: `eip155:${options.chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [options.rpcUrl] } },
  });
  const account = privateKeyToAccount(options.privateKey);
  const transport = http(options.rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 1 });
  return createWalletClient({ account, chain, transport, pollingInterval: options.pollingIntervalMs }).extend(
    publicActions,
  );
}

function signerFor(
  options: LocalFacilitatorOptions,
  client: ReturnType<typeof clientOf>,
  watch: NodeWatch,
): ReturnType<typeof toFacilitatorEvmSigner> {
  // Two concurrent sends would use the same nonce, and one would be lost. A replayed one fails at gas estimation and
  // uses no nonce.
  const oneAtATime = inTurn();
  return toFacilitatorEvmSigner(
    {
      address: client.account.address,
      readContract: (call) => watch.read(client.readContract(call)),
      verifyTypedData: (call) => watch.read(client.verifyTypedData(call as VerifyTypedDataParameters)),
      getCode: (call) => watch.read(client.getCode(call)),
      // Without this, viem checks whether the transaction was replaced, and misses a block that arrives meanwhile.
      waitForTransactionReceipt: (call) => client.waitForTransactionReceipt({ ...call, checkReplacement: false }),
      writeContract: (call) =>
        oneAtATime(async () => client.writeContract({ ...call, gas: bounded(await client.estimateContractGas(call)) })),
      sendTransaction: (call) =>
        oneAtATime(async () => client.sendTransaction({ ...call, gas: bounded(await client.estimateGas(call)) })),
    },
    { confirmationTimeoutMs: options.confirmationTimeoutMs },
  );
}

/**
 * The service pays the gas, and the code of a contract wallet determines how much: a transfer takes about 80,000, a
 * wallet with a passkey ten times that. @throws above the limit; nothing is sent
 */
function bounded(gas: bigint): bigint {
  if (gas > MOST_GAS) throw new Error(`the settlement would take ${gas} gas, more than ${MOST_GAS}`);
  return gas;
}
const MOST_GAS = 1_000_000n;
