import { wrap } from '@faremeter/fetch';
import { exact as evm } from '@faremeter/payment-evm';
import { exact as solana } from '@faremeter/payment-solana';
import { address, createSolanaRpc } from '@solana/kit';
import { EVM_ACCOUNT, ROUTE, SOLANA_RPC } from '../replay.mjs';

/** Networks and mints from the tables of `@faremeter/info`. Each wallet of this client has one network and one token. */
const EVM_CHAINS = [8453, 84532, 137, 80002, 143, 10143, 324705682, 1187947933, 1444673419];
const MINTS = {
  'mainnet-beta': ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  devnet: ['4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
};

/** `@faremeter/fetch` with one wallet for each network and token. */
export function faremeter(version) {
  const wallets = [...onEvm(), ...onSolana()];
  // One handler stands for all and tries the options one by one, to keep the order of the challenge.
  const inOrder = async (context, accepts) =>
    (await Promise.all(accepts.flatMap((option) => wallets.map((wallet) => wallet(context, [option]))))).flat();
  const pay = (transport) => wrap(transport, { handlers: [inOrder], retryCount: 0 })(ROUTE);
  return { name: '@faremeter/fetch', version, pay };
}

function onEvm() {
  return EVM_CHAINS.map((id) =>
    evm.createPaymentHandler({ chain: { id, name: `${id}` }, address: EVM_ACCOUNT.address, account: EVM_ACCOUNT }),
  );
}

function onSolana() {
  return Object.entries(MINTS).flatMap(([network, mints]) =>
    mints.map((mint) => {
      const wallet = { network, publicKey: address(PAYER), partiallySignTransaction: async (tx) => tx };
      return solana.createPaymentHandler(wallet, address(mint), createSolanaRpc(SOLANA_RPC));
    }),
  );
}

const PAYER = '9aE476sH92Vz7DMPyq5WLPkrKWivxeuTKEFKd2sZZcde';
