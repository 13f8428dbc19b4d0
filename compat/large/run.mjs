// Tests two released clients that have no hook for a check, with the guard around their signers only: AgentKit, whose action
// sends another request between the model's choice and the signature, and x402-solana. `npm run compat:large` installs 1.2 GB first.
// Exits with 1 if one of them signs what it must not sign, or refuses what it should sign.
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { EvmWalletProvider } from '@coinbase/agentkit';
import { Keypair } from '@solana/web3.js';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createX402Client } from 'x402-solana/client';
import { guard } from '../../packages/guard/dist/esm/index.js';
import { FEE_PAYER, MINTS, OTHER, PAYEE, SOLANA_PAYEE, TOKENS } from '../sound.mjs';

// A copy of the example for AgentKit, next to the packages that it imports.
const MODULES = new URL('node_modules/', import.meta.url);
mkdirSync(new URL('@hostprobe/', MODULES), { recursive: true });
rmSync(new URL('@hostprobe/guard', MODULES), { force: true });
symlinkSync(new URL('../../packages/guard', import.meta.url), new URL('@hostprobe/guard', MODULES));
copyFileSync(new URL('../../examples/agentkit.mjs', import.meta.url), new URL('agentkit-example.mjs', MODULES));
const { guardedX402 } = await import(new URL('agentkit-example.mjs', MODULES));

const [BASE, , USDC] = TOKENS[0];
const [SOLANA, , USDC_MINT] = MINTS[0];
const TERMS = { scheme: 'exact', amount: '20000', maxTimeoutSeconds: 60 };
const EVM_TERMS = { ...TERMS, network: BASE, asset: USDC, payTo: PAYEE, extra: { name: 'USD Coin', version: '2' } };
const SVM_TERMS = { ...TERMS, network: SOLANA, asset: USDC_MINT, payTo: SOLANA_PAYEE, extra: { feePayer: FEE_PAYER } };
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** A host that asks for one payment after another, and a Solana RPC with the accounts that a transfer needs. */
async function openHost() {
  const host = { asks: [], paid: 0, url: '' };
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') return answerRpc(request, response);
    if (request.headers['payment-signature'] ?? request.headers['x-payment']) {
      host.paid += 1;
      return response.end('{}');
    }
    const terms = host.asks.length > 1 ? host.asks.shift() : host.asks[0];
    const required = { x402Version: 2, resource: { url: host.url, description: '', mimeType: '' }, accepts: [terms] };
    return response.writeHead(402, { 'payment-required': btoa(JSON.stringify(required)) }).end('{}');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  host.origin = `http://127.0.0.1:${server.address().port}`;
  host.url = `${host.origin}/v1/quote`;
  host.close = () => server.close();
  return host;
}

async function answerRpc(request, response) {
  let text = '';
  for await (const part of request) text += part;
  const { id, method, params } = JSON.parse(text);
  const context = { slot: 1 };
  const account = (bytes) => ({
    data: [bytes.toString('base64'), 'base64'],
    executable: false,
    lamports: 1,
    rentEpoch: 0,
  });
  const mint = Buffer.alloc(82);
  mint.set([6, 1], 44);
  const held = Buffer.alloc(165);
  held[108] = 1;
  const results = {
    getAccountInfo: () => {
      const isMint = MINTS.some(([, , known]) => known === params[0]);
      return { context, value: { ...account(isMint ? mint : held), owner: TOKEN_PROGRAM, space: isMint ? 82 : 165 } };
    },
    getLatestBlockhash: () => ({ context, value: { blockhash: FEE_PAYER, lastValidBlockHeight: 1_000 } }),
  };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.() ?? null }));
}

/** AgentKit's own action with its wallet. The model chooses the first offer. */
class Wallet extends EvmWalletProvider {
  #account = privateKeyToAccount(generatePrivateKey());
  signed = 0;
  getAddress = () => this.#account.address;
  getNetwork = () => ({ protocolFamily: 'evm', networkId: 'base-mainnet', chainId: '8453' });
  getName = () => 'wallet';
  trackInitialization() {}
  signTypedData(data) {
    this.signed += 1;
    return this.#account.signTypedData(data);
  }
}

const CLIENTS = {
  'AgentKit 0.10.4': {
    terms: EVM_TERMS,
    pay: async (options, host) => {
      const wallet = new Wallet();
      const option = { ...EVM_TERMS, price: EVM_TERMS.amount };
      await fetch(host.url).then((answer) => answer.text());
      const args = { url: host.url, method: 'GET', selectedPaymentOption: option };
      const said = await guardedX402(wallet, options).pay(args);
      return { said, signed: wallet.signed };
    },
  },
  'x402-solana 2.0.4': {
    terms: SVM_TERMS,
    pay: async (options, host) => {
      const guarded = guard(options);
      const keys = Keypair.generate();
      let signed = 0;
      const wallet = {
        publicKey: keys.publicKey,
        signTransaction: async (transaction) => {
          signed += 1;
          transaction.sign([keys]);
          return transaction;
        },
      };
      const paying = guarded.fetch((below) => {
        const client = createX402Client({
          wallet: guarded.signer(wallet),
          network: 'solana',
          rpcUrl: host.origin,
          customFetch: below,
        });
        return (input, init) => client.fetch(input, init);
      });
      const said = await paying(host.url, {}).then(
        ({ status }) => status,
        (error) => error.code ?? error.message,
      );
      return { said, signed };
    },
  },
};

/** The guard's message, even if the client wrapped it in its own. */
const codeIn = (said) => /hostprobe guard: (\w+)/.exec(said)?.[1] ?? said.slice(0, 60);

const changesOf = (terms) => ({
  'another payee': { payTo: terms === EVM_TERMS ? OTHER : FEE_PAYER },
  'one unit more': { amount: '20001' },
  'six times the price': { amount: '120000' },
  'another token': { asset: terms === EVM_TERMS ? TOKENS[1][2] : MINTS[1][2] },
});

const say = console.log;
console.log = () => undefined; // AgentKit prints its arguments
const host = await openHost();
let faults = 0;
for (const [name, { terms, pay }] of Object.entries(CLIENTS)) {
  const seen = { p: 'x402', n: terms.network, a: terms.asset, to: terms.payTo, amt: terms.amount };
  for (const [what, change] of Object.entries({ 'what was seen': {}, ...changesOf(terms) })) {
    const isHonest = what === 'what was seen';
    host.asks = name.startsWith('AgentKit') ? [terms, { ...terms, ...change }] : [{ ...terms, ...change }];
    host.paid = 0;
    const probe = async () => [{ ...seen, r: host.url, m: 'GET', s: 'exact' }];
    const options = { issuer: 'https://hostprobe.example', maxUsd: 1, probe };
    const { said, signed } = await pay(options, host).catch((error) => ({
      said: error.code ?? error.message,
      signed: 0,
    }));
    if ((isHonest && (signed !== 1 || host.paid !== 1)) || (!isHonest && signed + host.paid > 0)) faults += 1;
    say(`${name}, ${what}: signed ${signed}, paid ${host.paid}: ${codeIn(`${said}`)}`);
  }
}
host.close();
process.exit(faults === 0 ? 0 : 1);
