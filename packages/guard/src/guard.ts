import { AsyncLocalStorage } from 'node:async_hooks';
import { offeredIn } from './challenge.js';
import { decide } from './decide.js';
import { signedPayment } from './evm-signature.js';
import { guardedSigner, type SignerChecks } from './guarded-signer.js';
import { checkedOptions, type GuardOptions } from './options.js';
import { isObject, paymentOf, samePayment, type Payment } from './payment.js';
import { PaymentRefused } from './payment-refused.js';
import { makesPayment } from './solana-transaction.js';
import { Statements } from './statements.js';

/** The input of `@x402/core` hooks; only the fields we read. */
export interface HookContext {
  readonly paymentRequired: unknown;
  readonly selectedRequirements: unknown;
}

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The part of an axios instance that the guard needs. */
export interface AxiosLike<Config, Answer> {
  readonly request: (config: Config) => Promise<Answer>;
  readonly interceptors: {
    readonly response: { use: (done: undefined, failed: (error: unknown) => Promise<never>) => unknown };
  };
}

/** A guarded call. Each concurrent call has its own, so that none can use a payment allowed for another. */
interface Call {
  /** The URL that answered 402, after redirects. */
  url: string | undefined;
  /** Whether the caller gave the URL; then answers do not change it. */
  readonly isNamed: boolean;
  /** The payments in the last 402. */
  offered: readonly Payment[];
  /** Payments that the hook allowed and that are not signed yet. */
  readonly allowed: Payment[];
  /** Whether the hook is in use; then only payments it has seen are signed. */
  isHooked: boolean;
  /** Without a hook: whether something was signed, or is being checked, since the last 402. */
  isSpent: boolean;
  /** The first error of the guard or of a function from the caller. */
  failed: { readonly error: unknown } | undefined;
}

/** The integrations for clients; created by {@link guard}. */
export interface Guard {
  /** For `onBeforePaymentCreation` of an `x402Client`. */
  readonly hook: (context: HookContext) => Promise<{ abort: true; reason: string } | undefined>;
  /**
   * Wraps a paying fetch: `pay` creates it from the given fetch, which the guard observes. Throws {@link
   * PaymentRefused}.
   */
  readonly fetch: (pay: (below: Fetch) => Fetch, below?: Fetch) => Fetch;
  /** Wraps a paying axios request: `pay` adds payments to the instance. */
  readonly axios: <Config, Answer>(
    instance: AxiosLike<Config, Answer>,
    pay: (instance: AxiosLike<Config, Answer>) => unknown,
  ) => (config: Config) => Promise<Answer>;
  /** Wraps a signer so that it only signs allowed payments. */
  readonly signer: <T extends object>(signer: T) => T;
  /** Runs work that pays for a URL, for clients whose fetch cannot be wrapped. */
  readonly within: <T>(url: string, work: () => Promise<T>) => Promise<T>;
  /** Fetches a new statement before the next payment to an origin. */
  readonly forget: (origin: string) => void;
}

/**
 * Checks payments against a signed report about the host before they are signed.
 * @throws {TypeError | RangeError} that names an option
 */
export function guard(given: GuardOptions): Guard {
  const options = checkedOptions(given);
  const calls = new AsyncLocalStorage<Call>();
  const statements = new Statements(options);

  const fail = (error: unknown): PaymentRefused => {
    const call = calls.getStore();
    if (call) call.failed ??= { error };
    if (error instanceof PaymentRefused) return error;
    throw error; // from a function of the caller
  };

  const allow = async (call: Call, payment: Payment, stated?: string): Promise<void> => {
    if (call.url === undefined) throw new PaymentRefused('not_guarded_fetch');
    const warnings = await decide(payment, { url: call.url, stated }, options, statements);
    options.onAllowed?.(payment, warnings);
  };

  const run = async <T>(url: string | undefined, work: () => Promise<T>): Promise<T> => {
    const isNamed = url !== undefined;
    const call: Call = { url, isNamed, offered: [], allowed: [], isHooked: false, isSpent: false, failed: undefined };
    try {
      return await calls.run(call, work);
    } catch (error) {
      throw call.failed ? call.failed.error : error; // clients wrap it in an error of their own
    }
  };

  const note = async (answer: Response, asked: string): Promise<void> => {
    const call = calls.getStore();
    if (answer.status !== 402 || !call) return;
    call.allowed.length = 0;
    call.isSpent = false;
    call.offered = await offeredIn(answer);
    const url = answer.url || asked;
    if (!call.isNamed) call.url = URL.canParse(url) ? url : undefined;
  };

  return {
    hook: async (context) => {
      try {
        const call = callOf(calls.getStore());
        call.isHooked = true;
        const payment = paymentOf(context.selectedRequirements);
        await allow(call, payment, statedResource(context));
        call.allowed.push(payment);
        return undefined;
      } catch (error) {
        return { abort: true, reason: fail(error).message };
      }
    },
    fetch: (pay, below = globalThis.fetch) => {
      const paying = pay(async (input, init) => {
        const answer = await below(input, init);
        await note(answer, input instanceof Request ? input.url : String(input));
        return answer;
      });
      return (input, init) => run(undefined, () => paying(input, init));
    },
    axios: (instance, pay) => {
      instance.interceptors.response.use(undefined, async (error) => {
        const { answer, url } = axiosAnswer(error);
        if (answer) await note(answer, url);
        throw error;
      });
      pay(instance);
      return (config) => run(undefined, () => instance.request(config));
    },
    signer: (signer) => guardedSigner(signer, signerChecks(calls, options.permit2 ?? false, { allow, fail })),
    within: run,
    forget: (origin) => {
      statements.forget(origin);
    },
  };
}

function callOf(call: Call | undefined): Call {
  if (!call) throw new PaymentRefused('not_guarded_fetch');
  return call;
}

/** The decision about a payment: it is allowed or throws, and the error is remembered. */
interface Verdicts {
  readonly allow: (call: Call, payment: Payment) => Promise<void>;
  readonly fail: (error: unknown) => PaymentRefused;
}

/**
 * The last check. A payment allowed by the hook can be signed once; without a hook, the decision is made at the
 * signature.
 */
function signerChecks(calls: AsyncLocalStorage<Call>, permit2: boolean, { allow, fail }: Verdicts): SignerChecks {
  const spend = async (call: Call, is: (payment: Payment) => boolean | Promise<boolean>, read?: Payment) => {
    if (call.failed) throw call.failed.error;
    for (const payment of call.allowed)
      if (await is(payment)) {
        const at = call.allowed.indexOf(payment);
        if (at === -1) break; // another signature used it meanwhile
        call.allowed.splice(at, 1);
        return;
      }
    if (call.isHooked) throw new PaymentRefused(call.allowed.length > 0 ? 'signs_something_else' : 'nothing_allowed');
    if (call.isSpent) throw new PaymentRefused('nothing_allowed');
    call.isSpent = true;
    const payment = read ?? (await firstOf(call.offered, is));
    if (!payment) throw new PaymentRefused('signs_something_else');
    await allow(call, payment);
  };
  const guarded = async <T>(work: (call: Call) => Promise<T>) => {
    try {
      return await work(callOf(calls.getStore()));
    } catch (error) {
      throw fail(error);
    }
  };
  return {
    typedData: (data) =>
      guarded(async (call) => {
        const read = signedPayment(data, permit2);
        if (!read) throw new PaymentRefused('signs_something_else', { got: primaryTypeOf(data) });
        await spend(call, (payment) => samePayment(payment, read.payment), read.payment);
        return read.data;
      }),
    message: (bytes) => guarded((call) => spend(call, (payment) => makesPayment(bytes, payment))),
  };
}

async function firstOf(offered: readonly Payment[], is: (payment: Payment) => boolean | Promise<boolean>) {
  for (const payment of offered) if (await is(payment)) return payment;
  return undefined;
}

function primaryTypeOf(data: unknown): string {
  return isObject(data) && typeof data['primaryType'] === 'string' ? data['primaryType'] : 'no typed data';
}

function statedResource({ paymentRequired, selectedRequirements }: HookContext): string | undefined {
  const resource = isObject(paymentRequired) ? paymentRequired['resource'] : undefined;
  const own = isObject(selectedRequirements) ? selectedRequirements['resource'] : undefined;
  const stated = own ?? (isObject(resource) ? resource['url'] : undefined);
  return typeof stated === 'string' ? stated : undefined;
}

/** The answer in an axios error; in Node.js it also has the URL after redirects. */
function axiosAnswer(error: unknown): { answer?: Response; url: string } {
  const { response, config, request }: Readonly<Record<string, unknown>> = isObject(error) ? error : {};
  if (!isObject(response) || response['status'] !== 402 || !isObject(config)) return { url: '' };
  const raw = isObject(request) && isObject(request['res']) ? request['res']['responseUrl'] : undefined;
  const base = typeof config['baseURL'] === 'string' ? config['baseURL'] : undefined;
  const asked =
    typeof config['url'] === 'string' && URL.canParse(config['url'], base) ? new URL(config['url'], base).href : '';
  const header = isObject(response['headers']) ? response['headers']['payment-required'] : undefined;
  const headers = typeof header === 'string' ? { 'payment-required': header } : {};
  const body = typeof response['data'] === 'string' ? response['data'] : JSON.stringify(response['data'] ?? null);
  return { answer: new Response(body, { status: 402, headers }), url: typeof raw === 'string' ? raw : asked };
}
