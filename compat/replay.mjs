// The environment of a client: empty wallets, a route that answers with a recorded challenge, and chains that answer from memory.
// Nothing here uses the network.
import { privateKeyToAccount } from 'viem/accounts';
import { strayOf } from './signed.mjs';

export const ROUTE = 'https://shop.example.com/api/report';
export const SOLANA_RPC = 'https://solana.example.com';
export const EVM_ACCOUNT = privateKeyToAccount(`0x${'11'.repeat(32)}`);
export const SOLANA_SEED = new Uint8Array(32).fill(7);

const PAID = ['payment-signature', 'x-payment', 'authorization', 'payment-authorization'];

/** Imports a module that older releases do not have. */
export async function optional(path) {
  try {
    return await import(path);
  } catch (error) {
    if (error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' || error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** `signs`, or `refuses: ` and the client's error message without the values in quotes. */
export async function offer(challenge, client) {
  let payment;
  const transport = async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    payment ??= PAID.map((name) => headers.get(name)).find((value) => value !== null);
    return payment === undefined ? answerOf(challenge) : new Response('{}');
  };
  try {
    await client.pay(transport);
    return payment === undefined ? 'refuses: hands back the 402' : ((await strayOf(challenge, payment)) ?? 'signs');
  } catch (error) {
    return `refuses: ${wordsOf(error)}`;
  }
}

function answerOf({ status, headers, body }) {
  const lines = new Headers();
  for (const [name, values] of Object.entries(headers)) for (const value of [values].flat()) lines.append(name, value);
  return new Response(body, { status, headers: lines });
}

function wordsOf(error) {
  const text = `${error?.message ?? error}`
    .replace(/^Failed to (?:create payment payload|parse payment requirements): /, '')
    .replace(/[[{"'`].*/s, '…')
    .replace(/\b(address|challenges|chain ID|to a BigInt|Cannot convert)\b.*/s, '$1 …')
    .replace(/\b(?:0x)?[0-9a-zA-Z]{20,}\b|\b0x\w*|-?\d[\d.]*n?/g, '#');
  return text.split('\n', 1)[0].slice(0, 60).trim();
}

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

/** Mints that exist on the replayed Solana, with the program that owns them. All have six decimals. */
const MINTS = {
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: TOKEN,
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: TOKEN,
  '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU': TOKEN,
  '2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH': TOKEN_2022,
  '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo': TOKEN_2022,
  CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH: TOKEN_2022,
};

const BLOCKHASH = '4NCYB3kRT8sCNodPNuCZo8VUh4xqpBQxsxed2wd9xaD4';

/** A mint account of 82 bytes: no authorities, zero supply, six decimals, initialised. */
function mintAccount(address) {
  const program = MINTS[address];
  if (!program) return null;
  const data = Buffer.alloc(82);
  data[44] = 6;
  data[45] = 1;
  return {
    ...{ data: [data.toString('base64'), 'base64'], executable: false, lamports: 1_461_600, owner: program },
    ...{ rentEpoch: 0, space: 82 },
  };
}

const context = { slot: 1 };
const SOLANA = {
  getAccountInfo: ([address]) => ({ context, value: mintAccount(address) }),
  getSlot: () => 1,
  getLatestBlockhash: () => ({ context, value: { blockhash: BLOCKHASH, lastValidBlockHeight: 1_000 } }),
  simulateTransaction: () => ({ context, value: { err: null, logs: [], unitsConsumed: 5_000 } }),
};

/** An EVM chain with blocks and gas but no money. It accepts any chain id as its own. */
export function evmChain(chainId) {
  const block = { baseFeePerGas: '0x1', number: '0x1', timestamp: '0x1', gasLimit: '0x1c9c380', transactions: [] };
  const answers = {
    eth_chainId: `0x${chainId.toString(16)}`,
    eth_getBlockByNumber: block,
    eth_estimateGas: '0x5208',
    eth_gasPrice: '0x1',
    eth_maxPriorityFeePerGas: '0x1',
    eth_getTransactionCount: '0x0',
    eth_getCode: '0x',
    eth_sendRawTransactionSync: { transactionHash: `0x${'22'.repeat(32)}`, status: '0x1', logs: [] },
    eth_call: `0x${'00'.repeat(32)}`,
  };
  return async ({ method }) => {
    if (!(method in answers)) throw new Error(`the replayed chain has no ${method}`);
    return answers[method];
  };
}

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (!request.url.startsWith(SOLANA_RPC)) throw new Error(`nothing is replayed for ${new URL(request.url).host}`);
  const { id, method, params } = await request.json();
  if (!SOLANA[method]) throw new Error(`the replayed Solana has no ${method}`);
  return Response.json({ jsonrpc: '2.0', id, result: SOLANA[method](params) });
};
