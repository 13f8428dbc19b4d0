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
  /** Key of the account that sends the transactions and pays their gas; it never has the buyers' money. */
  readonly privateKey: Hex;
  /** How long a settlement waits for its receipt before it is reported as `settlement_pending`. */
  readonly confirmationTimeoutMs: number;
  /** Time between two requests for the receipt; short for a chain that mines on demand. */
  readonly pollingIntervalMs: number;
}

/** The facilitator itself; see `createLocalFacilitator`. */
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

/** A node that does not answer must not hold up a buyer for long. */
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
  // Two sends at once would draw the same nonce and one be lost; one that is replayed fails when its gas is estimated, and draws none.
  const oneAtATime = inTurn();
  return toFacilitatorEvmSigner(
    {
      address: client.account.address,
      readContract: (call) => watch.read(client.readContract(call)),
      verifyTypedData: (call) => watch.read(client.verifyTypedData(call as VerifyTypedDataParameters)),
      getCode: (call) => watch.read(client.getCode(call)),
      // viem misses the block that comes while it asks whether another transaction took the number of this one.
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
 * The service pays for the gas, and the code of a contract wallet decides how much that is: a transfer takes some 80,000,
 * and a wallet with a passkey ten times that. @throws beyond it: nothing is sent
 */
function bounded(gas: bigint): bigint {
  if (gas > MOST_GAS) throw new Error(`the settlement would take ${gas} gas, more than ${MOST_GAS}`);
  return gas;
}
const MOST_GAS = 1_000_000n;
