import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { errors, type Dispatcher } from 'undici';
import {
  RAW_BYTES,
  type Answer,
  type Exchange,
  type ProbeRequest,
  type RequestPhase,
  type WildcardEnd,
} from '@app/detectors';
import { defined, traced } from '@app/platform';
import { countedName } from '@app/hosts';
import { readBody, type BodyCaps } from './body-reader';
import type { ProbeDocuments } from './document-store';
import { faultIn, ProbeFault } from './failure';
import type { ProbeLimits } from './limits';
import { isRedirect, RedirectChain } from './redirect-policy';
import type { RequestBudget } from './request-budget';
import { requestHeaders, type SignRequest } from './request-headers';

export interface HttpProbeOptions {
  readonly dispatcher: Dispatcher;
  readonly userAgent: string;
  readonly signRequest?: SignRequest;
  readonly limits: ProbeLimits;
  readonly budget: RequestBudget;
  readonly documents: ProbeDocuments;
  /** The checked addresses for a request to this URL. @throws ProbeFault if there are none */
  readonly addressesOf: (url: URL) => Promise<readonly string[]>;
  readonly onPhase?: PhaseListener;
}

/**
 * A phase of a request and its duration in milliseconds. `headers` starts when the request is sent and ends with the
 * last header, including a new connection; the three phases before it are those of that connection.
 */
export type PhaseListener = (phase: 'dns' | 'connect' | 'tls' | 'headers' | 'body', ms: number) => void;

/** A request to send: its URL is absolute and passed the URL rules. */
export interface ProbeCall {
  readonly request: ProbeRequest;
  readonly url: URL;
  readonly phase: RequestPhase;
  /** The registrable domain that redirects may not leave. */
  readonly site: string;
  /** Aborts the call; its reason is the ProbeFault to report. */
  readonly signal: AbortSignal;
  /** Called before every request, including redirects; false ends the call with `budget_spent`. */
  readonly maySend: () => boolean;
  /** The result of a redirect to that URL, if it is known without following it. */
  readonly known?: (target: string) => WildcardEnd | undefined;
  /** Called when the headers of a response have arrived. */
  readonly onHeaders?: () => void;
}

type HeaderLines = readonly (readonly [name: string, value: string])[];

/** How many bytes of a redirect's own body are read to keep the connection; a longer one closes it. */
const REDIRECT_PAGE_BYTES = 16 * 1024;

/** Sends requests and turns every outcome into an Exchange. It only follows redirects through a `RedirectChain`. */
export class HttpProbe {
  /** Bodies by digest, so that a host with one page for all paths uses its memory once. */
  private readonly bodies = new Map<string, Pick<Answer, 'body' | 'raw'>>();

  constructor(private readonly options: HttpProbeOptions) {}

  /**
   * One exchange, limited in time and size. Every fault of the host becomes a Failure.
   * @throws Error only for a request that a probe must not send (request-headers.ts), and for bugs
   */
  exchange(call: ProbeCall): Promise<Exchange> {
    const { method } = call.request;
    return traced('probe request', { 'http.request.method': method, 'url.full': call.url.href }, async (note) => {
      const exchange = await this.bounded(call);
      if (exchange.kind === 'answer') note({ 'http.response.status_code': exchange.status });
      else note({ 'error.type': exchange.reason });
      return exchange;
    });
  }

  private async bounded(call: ProbeCall): Promise<Exchange> {
    const { request, phase, url } = call;
    const headers = requestHeaders(request, this.options.userAgent);
    const { site, known } = call;
    const chain = new RedirectChain({ site, redirects: this.options.limits.redirects, known });
    const end = () => ({
      method: request.method,
      url: url.href,
      ...defined({ requestBody: request.body }),
      phase,
      observedAt: new Date().toISOString(),
      redirects: [...chain.redirects],
    });
    const controller = new AbortController();
    let deadline: NodeJS.Timeout | undefined;
    const stop = () => {
      controller.abort(call.signal.reason);
    };
    call.signal.addEventListener('abort', stop, { once: true });
    try {
      // Waiting for a slot is not the host's fault, so the clock starts with the slot.
      const leave = await this.occupy(url, call.signal);
      deadline = setTimeout(() => {
        controller.abort(new ProbeFault('timeout'));
      }, this.options.limits.exchangeMs);
      const answer = this.follow(call, headers, chain, controller, leave);
      return { kind: 'answer', ...(await Promise.race([answer, endOf(controller.signal)])), ...end() };
    } catch (error) {
      const fault = faultIn(error);
      if (!fault) throw error;
      const { reason, detail, certificate } = fault;
      return { kind: 'failure', reason, ...defined({ detail, certificate }), ...end() };
    } finally {
      clearTimeout(deadline);
      call.signal.removeEventListener('abort', stop);
    }
  }

  private occupy(url: URL, signal: AbortSignal): Promise<Leave> {
    return this.options.budget.occupy(countedName(url.hostname), signal);
  }

  private async follow(
    call: ProbeCall,
    headers: Readonly<Record<string, string>>,
    chain: RedirectChain,
    controller: AbortController,
    slot: Leave,
  ): Promise<AnswerParts> {
    let leave = slot;
    for (let url = call.url; ; leave = await this.occupy(url, controller.signal)) {
      try {
        call.signal.throwIfAborted();
        if (!call.maySend()) throw new ProbeFault('budget_spent');
        const end = await this.sendOne(call, url, headers, chain, controller);
        if (!(end instanceof URL)) return end;
        url = end;
      } finally {
        await leave();
      }
    }
  }

  /** One request of a chain: the final answer, or the next URL. */
  private async sendOne(
    call: ProbeCall,
    url: URL,
    headers: Readonly<Record<string, string>>,
    chain: RedirectChain,
    controller: AbortController,
  ): Promise<AnswerParts | URL> {
    const { request } = call;
    const response = await this.measured('headers', () => this.send(call, url, headers, controller));
    call.onHeaders?.();
    const { status } = response;
    // A redirected POST is never repeated, because its effects at this host are unknown.
    if (!isRedirect(status) || request.redirects === 'manual' || request.method === 'POST') {
      return this.answerOf(response, request, url);
    }
    const location = response.headers.find(([name]) => name === 'location')?.[1];
    const step = chain.next(url, status, location, valuesOf(response.headers, 'set-cookie').length > 0);
    if (step.kind === 'answer') return this.answerOf(response, request, url);
    await discard(response, controller.signal, this.options.limits.eventStreamMs);
    if (step.kind === 'refused') throw new ProbeFault(step.reason);
    return step.url;
  }

  /** Only successes are measured: a timeout would show our limit, not the host's speed. */
  private async measured<T>(phase: 'headers' | 'body', work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const done = await work();
    this.options.onPhase?.(phase, performance.now() - started);
    return done;
  }

  private async send(
    { request: { method, body }, maySend, site }: ProbeCall,
    url: URL,
    headers: Readonly<Record<string, string>>,
    controller: AbortController,
  ): Promise<Response> {
    const { dispatcher, signRequest, limits, budget } = this.options;
    const addresses = await this.options.addressesOf(url);
    const target = { host: countedName(url.hostname), site };
    let informational = 0;
    const onInfo = () => {
      informational += 1;
      if (informational > limits.informational) controller.abort(new ProbeFault('protocol_error'));
    };
    const request = async (): Promise<Dispatcher.ResponseData> => {
      await budget.spend(target, addresses);
      return dispatcher.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...headers, ...signRequest?.({ method, url: url.href, headers }) },
        body: body ?? null,
        signal: controller.signal,
        responseHeaders: 'raw',
        onInfo,
      });
    };
    const response = await request().catch((error: unknown) => {
      if (method !== 'GET' || !closedAfterUse(error) || !maySend()) throw error;
      return request();
    });
    const lines = headerLines(response.headers as unknown as readonly string[]);
    if (lines.length > limits.headerLines) {
      response.body.on('error', () => undefined).destroy(); // caused by our own truncation; without a listener it would crash the process
      throw new ProbeFault('headers_too_large');
    }
    return { status: response.statusCode, headers: lines, body: response.body };
  }

  private async answerOf(response: Response, request: ProbeRequest, url: URL): Promise<AnswerParts> {
    const { status, headers } = response;
    const coding = valuesOf(headers, 'content-encoding').join(', ');
    const eventStream = /^\s*text\/event-stream\b/i.test(valuesOf(headers, 'content-type')[0] ?? '');
    const decided = headDecides(response);
    const caps = this.capsOf(request, eventStream, decided);
    const { bytes, truncated } = await this.measured('body', () =>
      readBody(response.body, coding, caps, this.options.limits),
    ).catch((error: unknown) => {
      if (!decided || !faultIn(error)) throw error;
      return { bytes: Buffer.alloc(0), truncated: true };
    });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const known = this.bodies.get(sha256);
    if (known !== undefined) this.options.documents.drop(bytes.length);
    const body = known ?? bodyOf(bytes);
    this.bodies.set(sha256, body);
    return {
      finalUrl: url.href,
      status,
      headers,
      ...body,
      bytes: bytes.length,
      sha256,
      truncated,
    };
  }

  private capsOf(request: ProbeRequest, eventStream: boolean, decided: boolean): BodyCaps {
    const { limits, documents } = this.options;
    if (eventStream) {
      const bytes = limits.eventStreamBytes;
      return { documents, wireBytes: bytes, decodedBytes: bytes, listenMs: limits.eventStreamMs };
    }
    const listening = defined({ listenMs: decided ? limits.eventStreamMs : undefined });
    const { wireBytes, decodedBytes } = limits;
    if (request.maxBytes === undefined) return { documents, wireBytes, decodedBytes, ...listening };
    const bytes = Math.min(request.maxBytes, limits.ceilingBytes);
    return { documents, wireBytes: bytes, decodedBytes: bytes, ...listening };
  }
}

/**
 * Rejects with the signal's reason when it is aborted. A lookup, and waiting for a connection (undici only handles an
 * abort once a request has one), continue until their own timeouts; their results are ignored.
 */
export function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => {
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}

/**
 * Whether status and headers are sufficient without the body, which may then be truncated, endless or in an unknown
 * coding (RFC 9110 section 15): any unsuccessful answer, except a 402 whose terms can only be in its body.
 */
function headDecides({ status, headers }: Response): boolean {
  if (status !== 402) return status >= 300;
  const schemes = valuesOf(headers, 'www-authenticate').join();
  return /\b(?:Payment|L402|License)\b/i.test(schemes) || TERMS.some((name) => valuesOf(headers, name).length > 0);
}

/** Headers of a 402 that contain its terms, or show whose it is. */
const TERMS = ['payment-required', 'x-payment-required', 'x-payment', 'crawler-price', 'x-vercel-error'] as const;

/** Releases a slot at a host. */
type Leave = () => Promise<void>;

type AnswerParts = Pick<Answer, 'finalUrl' | 'status' | 'headers' | 'body' | 'raw' | 'bytes' | 'sha256' | 'truncated'>;

interface Response {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Dispatcher.ResponseData['body'];
}

/**
 * Whether a reused connection was closed during a request. The host may close a kept-alive connection at any time, and
 * then a GET may be repeated (RFC 9112 section 9.3.1).
 */
function closedAfterUse(error: unknown): boolean {
  return error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0;
}

/** A body as text, and its first bytes if the text does not represent them. */
function bodyOf(bytes: Buffer): Pick<Answer, 'body' | 'raw'> {
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return isUtf8(bytes) ? { body } : { body, raw: Uint8Array.from(bytes.subarray(0, RAW_BYTES)) };
}

/** The pairs of undici's raw list of names and values. */
function headerLines(raw: readonly string[]): HeaderLines {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] ?? ''] as const] : []));
}

function valuesOf(headers: HeaderLines, name: string): readonly string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}

/** The body of a redirect is not used, so its faults do not matter. */
async function discard({ body }: Response, signal: AbortSignal, listenMs: number): Promise<void> {
  const timer = setTimeout(() => body.destroy(), listenMs);
  const read = body.on('error', () => undefined).dump({ limit: REDIRECT_PAGE_BYTES, signal });
  await read.finally(() => {
    clearTimeout(timer);
  });
}
