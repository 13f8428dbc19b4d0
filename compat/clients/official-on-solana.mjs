import { optional, ROUTE, SOLANA_RPC, SOLANA_SEED } from '../replay.mjs';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';

/** `@x402/fetch` with every scheme of `@x402/svm` in the same release. Has no spending limit: the buyer would set it. */
export function officialOnSolana(version) {
  const pay = async (transport) => {
    const { wrapFetchWithPayment, x402Client } = await import(`@x402/fetch-${version}`);
    const { ExactSvmScheme } = await import(`@x402/svm-${version}/exact/client`);
    const { ExactSvmSchemeV1 } = await import(`@x402/svm-${version}/exact/v1/client`);
    const { UptoSvmScheme } = (await optional(`@x402/svm-${version}/upto/client`)) ?? {};
    const { NETWORKS } = await import(`@x402/svm-${version}/v1`);
    const signer = await createKeyPairSignerFromPrivateKeyBytes(SOLANA_SEED);
    const chain = { rpcUrl: SOLANA_RPC };
    const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, chain));
    if (UptoSvmScheme) client.register('solana:*', new UptoSvmScheme(signer, chain));
    for (const network of NETWORKS) client.registerV1(network, new ExactSvmSchemeV1(signer, chain));
    client.setSpendControls?.(false);
    await wrapFetchWithPayment(transport, client)(ROUTE, {});
  };
  return { name: '@x402/svm', version, pay };
}
