import { defined } from '@app/platform';
import type { FailureReason } from '@app/detectors';
import { ownAddresses } from './address-policy';
import { readBody } from './body-reader';
import { parseConnectTo } from './connect-to';
import { faultIn, ProbeFault } from './failure';
import { endOf } from './http-probe';
import { PROBE_LIMITS, type ProbeLimits } from './limits';
import type { ProberConfig } from './prober';
import { NO_BUDGET, type RequestBudget } from './request-budget';
import { DnsResolver } from './resolver';
import { SafeDialer } from './safe-dialer';
import { secureContextWith } from './secure-context';

/** The limits of one message: 3 s to connect, 10 s to the headers, 15 s in total, 16 KiB of answer. */
const SEND_LIMITS = {
  ...PROBE_LIMITS,
  headersMs: 10_000,
  hostMs: 15_000,
  headerBytes: 16 * 1_024,
  decodedBytes: 16 * 1_024,
  wireBytes: 16 * 1_024,
  probeBytes: 128 * 1_024,
  concurrency: 1,
};

export type SenderConfig = Pick<
  ProberConfig,
  'userAgent' | 'connectTo' | 'caFile' | 'ownAddresses' | 'optedOut' | 'resolver' | 'limits'
> & {
  /** The shared budget of all senders; unlimited by default. */
  readonly budget?: Pick<RequestBudget, 'spend'>;
};

/** The result of a message. */
export type Sent =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfter: string; readonly body: string }
  | { readonly kind: 'failure'; readonly reason: FailureReason };

/** Sends messages to URLs from strangers. */
export interface Sender {
  /**
   * Sends one POST without following redirects. Faults of the receiver are part of the result; once there is a status,
   * it is the answer even if the rest fails.
   * @param site whose budget it counts against; by default the host name
   * @throws errors of the budget
   */
  send(url: string, headers: Readonly<Record<string, string>>, body: string, site?: string): Promise<Sent>;
  /** Aborts running sends with `budget_spent`. */
  close(): void;
}

/**
 * Uses the same protections as probes, with stricter rules: https on port 443, no user info, a new connection for each
 * message.
 * @throws Error if the connect-to list or the certificate file cannot be read
 */
export function createSender(config: SenderConfig): Sender {
  const limits = { ...SEND_LIMITS, ...config.limits };
  const { budget = NO_BUDGET } = config;
  const options = {
    resolver: config.resolver ?? new DnsResolver({ budgetMs: limits.dnsMs }),
    negativeCache: undefined,
    connectTo: parseConnectTo(config.connectTo ?? ''),
    ownAddresses: ownAddresses(config.ownAddresses ?? []),
    optedOut: config.optedOut ?? (() => false),
    secureContext: secureContextWith(config.caFile),
    certificates: false,
    limits,
  };
  const running = new Set<AbortController>();
  return {
    async send(text, headers, body, named) {
      const controller = new AbortController();
      const dialer = new SafeDialer(options);
      const timer = setTimeout(() => {
        controller.abort(new ProbeFault('timeout'));
      }, limits.hostMs);
      running.add(controller);
      let head: Sent | undefined;
      try {
        const sent = { ...headers, 'user-agent': config.userAgent, 'content-type': 'application/json' };
        const url = receiverOf(text);
        const site = named ?? url.hostname;
        const exchange = (async () => {
          const addresses = await dialer.addressesOf(url);
          await budget.spend({ host: url.hostname, site }, addresses);
          const response = await post(dialer, url, { headers: sent, body, signal: controller.signal });
          const { statusCode: status, headers: received } = response;
          head = { kind: 'answer', status, retryAfter: single(received['retry-after']), body: '' };
          return { ...head, body: await bodyOf(response, limits) };
        })();
        return await Promise.race([exchange, endOf(controller.signal)]);
      } catch (error) {
        const fault = faultIn(error);
        if (!fault) throw error;
        return head ?? { kind: 'failure', reason: fault.reason };
      } finally {
        clearTimeout(timer);
        running.delete(controller);
        await dialer.close();
      }
    },
    close() {
      for (const controller of running) controller.abort(new ProbeFault('budget_spent'));
    },
  };
}

/** @throws ProbeFault for a URL that must not get messages */
function receiverOf(text: string): URL {
  if (!URL.canParse(text)) throw new ProbeFault('address_refused');
  const url = new URL(text);
  const { protocol, port, username, password } = url;
  if (protocol === 'https:' && port === '' && username === '' && password === '') return url;
  throw new ProbeFault('address_refused');
}

type Response = Awaited<ReturnType<SafeDialer['agent']['request']>>;

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

function post({ agent }: SafeDialer, { origin, pathname, search }: URL, message: Message): Promise<Response> {
  return agent.request({ origin, path: pathname + search, method: 'POST', ...message });
}

async function bodyOf({ headers, body }: Response, limits: ProbeLimits): Promise<string> {
  const { wireBytes, decodedBytes, eventStreamMs } = limits;
  const caps = { wireBytes, decodedBytes, ...defined({ listenMs: isStream(headers) ? eventStreamMs : undefined }) };
  const { bytes } = await readBody(body, single(headers['content-encoding']), caps, limits);
  return bytes.toString('utf8');
}

function isStream(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  return single(headers['content-type']).startsWith('text/event-stream');
}

function single(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
