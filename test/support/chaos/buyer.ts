import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../paywall-world/random';
import { signPayment, type Payer } from '../payer';

/** One response to a request with the payment. */
export interface Answer {
  readonly status: number;
  /** The code of an error; null for a bought answer. */
  readonly code: string | null;
  readonly body: string;
}

/** One authorization and all answers to requests with it. */
export interface Purchase {
  readonly path: string;
  readonly header: string;
  readonly nonce: string;
  readonly answers: Answer[];
  /** Requests without an answer, because the gateway crashed or was down. */
  lost: number;
}

/** The behavior of a buyer. */
export type Temper =
  /** Sends the same payment until there is a definite answer. */
  | 'patient'
  /** Sends it once and leaves. */
  | 'impatient'
  /** Sends three copies at once to any gateways, each until there is a definite answer. */
  | 'threefold';

/** A buyer gives up after this time, when the authorization has expired, in milliseconds. */
const PATIENCE_MS = 200_000;
const REQUEST_MS = 75_000;
const PAUSE_MS = 250;

/** Any other status is an outage: the buyer may send the same payment again. */
const DEFINITE: readonly number[] = [200, 400, 402, 403, 404, 409];

export interface Market {
  readonly gateways: readonly string[];
  /** Called with each purchase before its payment is sent. */
  readonly signed: (purchase: Purchase) => void;
}

/** Requests the price of `path`, signs, and sends the payment according to the buyer's behavior. */
export async function buy(market: Market, payer: Payer, path: string, temper: Temper, random: Random): Promise<void> {
  const header = await signPayment(payer, await priceOf(market, path, random));
  const purchase: Purchase = { path, header, nonce: nonceOf(header), answers: [], lost: 0 };
  market.signed(purchase);
  const copies = temper === 'threefold' ? 3 : 1;
  const tries = temper === 'impatient' ? 1 : Infinity;
  await Promise.all(Array.from({ length: copies }, () => present(market, purchase, tries, random)));
}

/** Sends a payment up to `tries` times and records the answers; returns the last definite one, if any. */
export async function present(
  { gateways }: Pick<Market, 'gateways'>,
  purchase: Purchase,
  tries: number,
  random: Random,
): Promise<Answer | undefined> {
  const until = Date.now() + PATIENCE_MS;
  for (let sent = 0; sent < tries && Date.now() < until; sent += 1) {
    if (sent > 0) await sleep(PAUSE_MS * (1 + random.next()));
    const response = await ask(`${random.pick(gateways)}${purchase.path}`, { 'payment-signature': purchase.header });
    if (response === undefined) {
      purchase.lost += 1;
      continue;
    }
    purchase.answers.push(response.answer);
    if (DEFINITE.includes(response.answer.status)) return response.answer;
  }
  return undefined;
}

async function priceOf({ gateways }: Market, path: string, random: Random): Promise<Response> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const response = await ask(`${random.pick(gateways)}${path}`, {});
    if (response?.answer.status === 402) return response.raw;
    await sleep(PAUSE_MS);
  }
  throw new Error(`no gateway named the price of ${path}`);
}

async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly raw: Response; readonly answer: Answer } | undefined> {
  try {
    const raw = await fetch(url, { headers, signal: AbortSignal.timeout(REQUEST_MS) });
    const body = await raw.text();
    const code = raw.status === 200 ? null : (JSON.parse(body) as { code: string }).code;
    return { raw, answer: { status: raw.status, code, body } };
  } catch {
    return undefined;
  }
}

function nonceOf(header: string): string {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
    payload: { authorization: { nonce: string } };
  };
  return payload.authorization.nonce.toLowerCase();
}
