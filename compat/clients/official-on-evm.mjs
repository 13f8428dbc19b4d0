import { EVM_ACCOUNT, optional, ROUTE } from '../replay.mjs';

/** `@x402/fetch` with every scheme that `@x402/evm` of the same release has. Limits on spending are the buyer's: lifted. */
export function officialOnEvm(version) {
  const pay = async (transport) => {
    const { wrapFetchWithPayment, x402Client } = await import(`@x402/fetch-${version}`);
    const { registerExactEvmScheme } = await import(`@x402/evm-${version}/exact/client`);
    const client = registerExactEvmScheme(new x402Client(), { signer: EVM_ACCOUNT });
    for (const [path, name] of SCHEMES) {
      const scheme = (await optional(`@x402/evm-${version}/${path}/client`))?.[name];
      if (scheme) client.register('eip155:*', new scheme(EVM_ACCOUNT));
    }
    client.setSpendControls?.(false);
    // Release 2.0 to 2.5 read `init` without asking whether there is one.
    await wrapFetchWithPayment(transport, client)(ROUTE, {});
  };
  return { name: '@x402/fetch', version, pay };
}

const SCHEMES = [
  ['upto', 'UptoEvmScheme'],
  ['batch-settlement', 'BatchSettlementEvmScheme'],
  ['auth-capture', 'AuthCaptureEvmScheme'],
];
