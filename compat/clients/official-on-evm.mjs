import { EVM_ACCOUNT, optional, ROUTE } from '../replay.mjs';

/** `@x402/fetch` with every scheme of `@x402/evm` in the same release. Has no spending limit: the buyer would set it. */
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
    // Releases 2.0 to 2.5 read `init` even if it is undefined.
    await wrapFetchWithPayment(transport, client)(ROUTE, {});
  };
  return { name: '@x402/fetch', version, pay };
}

const SCHEMES = [
  ['upto', 'UptoEvmScheme'],
  ['batch-settlement', 'BatchSettlementEvmScheme'],
  ['auth-capture', 'AuthCaptureEvmScheme'],
];
