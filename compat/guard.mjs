// `npm run compat:guard`: runs the guard in released clients that the unit tests cannot load. Each client must make one honest
// purchase, and refuse 60 generated ones that must not be signed (compat/attacks.mjs; 600 with GENERATED=all). Exits with 1 if a
// client signs what it must not sign, or refuses what it should sign.
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { evm, Mppx } from 'mppx/client';
import { createWalletClient, custom } from 'viem';
import { base } from 'viem/chains';
import { wrapFetchWithPayment as wrapFirst } from 'x402-fetch';
import { guard } from '../packages/guard/dist/esm/index.js';
import { attacksOn, ISSUER } from './attacks.mjs';
import { EVM_ACCOUNT, evmChain, ROUTE, SOLANA_RPC, SOLANA_SEED } from './replay.mjs';
import { FEE_PAYER, MINTS, PAYEE, RESOURCE, SOLANA_PAYEE, TOKENS } from './sound.mjs';

const PAID = ['payment-signature', 'x-payment', 'authorization'];
const [SOLANA, , USDC_MINT] = MINTS[0];
const [BASE, , USDC] = TOKENS[0];
const PRICE = '20000';

const evmTerms = {
  scheme: 'exact',
  network: BASE,
  amount: PRICE,
  asset: USDC,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
};
const svmTerms = {
  scheme: 'exact',
  network: SOLANA,
  amount: PRICE,
  asset: USDC_MINT,
  payTo: SOLANA_PAYEE,
  maxTimeoutSeconds: 60,
  extra: { feePayer: FEE_PAYER },
};

const second = (terms, url) =>
  new Response('{}', {
    status: 402,
    headers: {
      'payment-required': btoa(JSON.stringify({ x402Version: 2, resource: { ...RESOURCE, url }, accepts: [terms] })),
    },
  });
const NAMES = Object.fromEntries([...TOKENS, ...MINTS].map(([network, name]) => [network, name]));
const first = ({ amount, network, ...terms }, url) =>
  Response.json(
    {
      x402Version: 1,
      error: '',
      accepts: [
        {
          ...terms,
          network: NAMES[network],
          maxAmountRequired: amount,
          resource: url,
          description: '',
          mimeType: 'application/json',
        },
      ],
    },
    { status: 402 },
  );
const scheme = ({ amount, asset, payTo, network }) => {
  const request = {
    amount,
    currency: asset,
    recipient: payTo,
    methodDetails: { chainId: Number(network.split(':')[1]), credentialTypes: ['authorization'], decimals: 6 },
  };
  const text = Buffer.from(JSON.stringify(request)).toString('base64url');
  return new Response('{}', {
    status: 402,
    headers: {
      'www-authenticate': `Payment id="a", realm="shop.example.com", method="evm", intent="charge", request="${text}"`,
    },
  });
};

const svm = (release, version) => ({
  name: `@x402/svm ${release}, version ${version}`,
  terms: svmTerms,
  hasHook: true,
  challenge: version === 1 ? first : second,
  make: async (guarded, below, count, tamper) => {
    const { wrapFetchWithPayment, x402Client } = await import(`@x402/fetch-${release}`);
    const { ExactSvmScheme } = await import(`@x402/svm-${release}/exact/client`);
    const { ExactSvmSchemeV1 } = await import(`@x402/svm-${release}/exact/v1/client`);
    const signer = guarded.signer(await solanaWallet(count));
    const client = new x402Client().onBeforePaymentCreation(guarded.hook);
    client.onBeforePaymentCreation(
      async ({ selectedRequirements }) => void Object.assign(selectedRequirements, tamper),
    );
    client.register('solana:*', new ExactSvmScheme(signer, { rpcUrl: SOLANA_RPC }));
    for (const network of ['solana', 'solana-devnet'])
      client.registerV1(network, new ExactSvmSchemeV1(signer, { rpcUrl: SOLANA_RPC }));
    client.setSpendControls?.(false);
    return wrapFetchWithPayment(below, client);
  },
});

async function solanaWallet(count) {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(SOLANA_SEED);
  return { ...signer, signTransactions: (...args) => (count(), signer.signTransactions(...args)) };
}

const evmWallet = (count) => ({ ...EVM_ACCOUNT, signTypedData: (data) => (count(), EVM_ACCOUNT.signTypedData(data)) });

const CLIENTS = [
  ...['2.5', '2.11', '2.20', '2.27'].flatMap((release) => [svm(release, 2), svm(release, 1)]),
  {
    name: 'x402-fetch 1.2, EVM, without a hook',
    terms: evmTerms,
    challenge: first,
    make: (guarded, below, count) => {
      const account = evmWallet(count);
      const wallet = createWalletClient({ account, chain: base, transport: custom({ request: evmChain(8453) }) });
      return wrapFirst(
        below,
        guarded.signer({ ...wallet, signTypedData: (data) => account.signTypedData(data) }),
        10n ** 12n,
      );
    },
  },
  {
    name: 'x402-fetch 1.2, Solana, without a hook',
    terms: svmTerms,
    challenge: first,
    make: async (guarded, below, count) =>
      wrapFirst(below, guarded.signer(await solanaWallet(count)), 10n ** 12n, undefined, {
        svmConfig: { rpcUrl: SOLANA_RPC },
      }),
  },
  {
    name: 'mppx 0.11, without a hook',
    terms: evmTerms,
    challenge: scheme,
    make: (guarded, below, count) => {
      const methods = [
        evm({ account: guarded.signer(evmWallet(count)), authorization: { name: 'USD Coin', version: '2' } }),
      ];
      return Mppx.create({ fetch: below, polyfill: false, methods }).fetch;
    },
  },
];

const ORIGIN = new URL(ROUTE).origin;
const railsOf = ({ network, asset, payTo, amount }) => [
  { p: 'x402', n: network, a: asset, to: payTo, amt: amount, r: ROUTE, m: 'GET', s: 'exact' },
];

/** The result of one purchase. `asked` is the payment that the host asks for, `from` the URL that answers after redirects. */
async function purchase(client, { asked, from, resource, tamper = {}, statement }) {
  const stated = statement ?? (() => ISSUER.states(ORIGIN, railsOf(client.terms)));
  const guarded = guard({ issuer: ISSUER.issuer, keys: ISSUER.keys, maxUsd: 1, statement: stated });
  let [signed, paid] = [0, 0];
  const host = async (input, init) => {
    const { headers } = new Request(input, init);
    if (PAID.some((name) => headers.has(name))) {
      paid += 1;
      return new Response('{}');
    }
    const answer = client.challenge({ ...client.terms, ...asked }, resource ?? from ?? ROUTE);
    return Object.defineProperty(answer, 'url', { value: from ?? ROUTE });
  };
  const count = () => (signed += 1);
  const paying = guarded.fetch((below) => {
    const made = Promise.resolve(client.make(guarded, below, count, tamper));
    return async (...args) => (await made)(...args);
  }, host);
  const outcome = await paying(ROUTE, {}).then(
    ({ status }) => status,
    (error) => error.code ?? error.message,
  );
  return { outcome, signed, paid };
}

/** Minimum for each client. */
const COUNT = process.env.GENERATED === 'all' ? 600 : 60;
let [faults, tried] = [0, 0];
for (const client of CLIENTS) {
  const honest = await purchase(client, {});
  if (honest.signed !== 1 || honest.paid !== 1) faults += 1;
  console.log(`${client.name}: honest ${JSON.stringify(honest)}`);
  const about = { origin: ORIGIN, rails: railsOf(client.terms), count: COUNT };
  for (const [name, attacks] of attacksOn(client, about)) {
    const outcomes = new Map();
    for (const attack of attacks) {
      const { outcome, signed, paid } = await purchase(client, attack);
      tried += 1;
      if (signed + paid > 0) {
        faults += 1;
        console.log(`  SIGNED: ${name}: ${JSON.stringify(attack)}`);
      }
      const said = `${outcome}`.slice(0, 60);
      outcomes.set(said, (outcomes.get(said) ?? 0) + 1);
    }
    console.log(`  ${name}: ${[...outcomes].map(([said, times]) => `${said} (${times})`).join(', ')}`);
  }
}
console.log(`${tried} purchases that must not be signed, ${CLIENTS.length} clients, ${faults} faults`);
process.exitCode = faults === 0 ? 0 : 1;
