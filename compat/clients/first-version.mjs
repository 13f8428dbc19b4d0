import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { createWalletClient, custom } from 'viem';
import { base } from 'viem/chains';
import { wrapFetchWithPayment } from 'x402-fetch';
import { EVM_ACCOUNT, evmChain, ROUTE, SOLANA_RPC, SOLANA_SEED } from '../replay.mjs';

/** `x402-fetch`, which supports only version 1, with a wallet for EVM and Solana. Has no spending limit: the buyer would set it. */
export function firstVersion(version) {
  const pay = async (transport) => {
    const svm = await createKeyPairSignerFromPrivateKeyBytes(SOLANA_SEED);
    const evm = createWalletClient({
      account: EVM_ACCOUNT,
      chain: base,
      transport: custom({ request: evmChain(8453) }),
    });
    const most = 2n ** 256n;
    const config = { svmConfig: { rpcUrl: SOLANA_RPC } };
    await wrapFetchWithPayment(transport, { evm, svm }, most, undefined, config)(ROUTE, {});
  };
  return { name: 'x402-fetch', version, pay };
}
