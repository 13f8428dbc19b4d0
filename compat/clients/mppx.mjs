import { evm, Mppx, stripe, tempo } from 'mppx/client';
import { createClient, custom } from 'viem';
import { EVM_ACCOUNT, evmChain, ROUTE } from '../replay.mjs';

/** `mppx` with every payment method that it ships. A card is present, but never charged. */
export function mppx(version) {
  const pay = async (transport) => {
    const client = Mppx.create({ fetch: transport, polyfill: false, methods: methods() });
    await client.fetch(ROUTE);
  };
  return { name: 'mppx', version, pay };
}

function methods() {
  const account = EVM_ACCOUNT;
  return [
    tempo({ account, getClient, deposit: '10' }),
    tempo.sessionLegacy.method({ account, getClient, deposit: '10' }),
    tempo.subscription({ account, getClient }),
    evm({ account, authorization: { name: 'USD Coin', version: '2' } }),
    stripe({ createToken: async () => 'spt_replayed', paymentMethod: 'pm_replayed' }),
  ];
}

/** The client's own rule: the first chain if the challenge names none, otherwise only chains it has an address for. */
function getClient({ chainId: id = 4217 }) {
  if (id !== 4217 && id !== 42431) throw new Error('no address of a chain of this id');
  const chain = {
    id,
    name: `${id}`,
    nativeCurrency: { name: 'none', symbol: 'none', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  };
  return createClient({ account: EVM_ACCOUNT, chain, transport: custom({ request: evmChain(id) }, { retryCount: 0 }) });
}
