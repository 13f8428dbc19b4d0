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
  /** The vetted addresses for a request to this URL. @throws ProbeFault when there are none */
  readonly addressesOf: (url: URL) => Promise<readonly string[]>;
  readonly onPhase?: PhaseListener;
}

/**
 * A part of a request and what it took, in milliseconds. `headers` runs from sending the request to the last of its
 * headers, a new connection included; the three before it are that connection's.
 */
export type PhaseListener = (phase: 'dns' | 'connect' | 'tls' | 'headers' | 'body', ms: number) => void;

/** A request about to be made: its URL is absolute and has passed the URL rules. */
export interface ProbeCall {
  readonly request: ProbeRequest;
  readonly url: URL;
  readonly phase: RequestPhase;
  /** Registrable domain that redirects may not leave. */
  readonly site: string;
  /** Ends the call early; its reason is the ProbeFault to report. */
  readonly signal: AbortSignal;
  /** Called before every request of the call, redirects included; false ends it with `budget_spent`. */
  readonly maySend: () => boolean;
  /** What a redirect to that address comes to, where that is known without following it. */
  readonly known?: (target: string) => WildcardEnd | undefined;
  /** Called when the headers of a response are in. */
  readonly onHeaders?: () => void;
}

type HeaderLines = readonly (readonly [name: string, value: string])[];

/** Bytes of a redirect's own page that are read to keep the connection; a longer page costs the connection instead. */
const REDIRECT_PAGE_BYTES = 16 * 1024;

/** Sends requests and turns whatever happens into an Exchange. Never follows a redirect without a `RedirectChain`. */
export class HttpProbe {
  /** Bodies by digest: a host that answers one page to everything is held in memory once. */
  private readonly bodies = new Map<string, Pick<Answer, 'body' | 'raw'>>();

  constructor(private readonly options: HttpProbeOptions) {}

  /**
   * One exchange, bounded in time and size. Every fault of the host becomes a Failure.
   * @throws Error only for a request that no probe may send (request-headers.ts), and for bugs of this service
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
      // Waiting for a slot at the host is not the host's slowness: the clock starts with the slot.
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

  /** One request of a chain: the answer that ends it, or where to go next. */
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
    // A redirected POST is never repeated: what a POST does at this host is not known here.
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

  /** Only what succeeded is measured: a timeout shows this service's limit, not how slow the host is. */
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
      response.body.on('error', () => undefined).destroy(); // our own cut; without a listener it would end the process
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
 * Rejects when the signal ends, with its reason. A lookup and the wait for a connection (undici hears an abort only
 * once a request has one) go on until their own limits; their results are not waited for.
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
 * Whether status and headers say what was asked without the body, which then may be cut short, endless or in no known
 * coding (RFC 9110 section 15): any answer of no success, but for a 402 whose terms can only be in its body.
 */
function headDecides({ status, headers }: Response): boolean {
  if (status !== 402) return status >= 300;
  const schemes = valuesOf(headers, 'www-authenticate').join();
  return /\b(?:Payment|L402|License)\b/i.test(schemes) || TERMS.some((name) => valuesOf(headers, name).length > 0);
}

/** Headers of a 402 that hold its terms, or say whose it is. */
const TERMS = ['payment-required', 'x-payment-required', 'x-payment', 'crawler-price', 'x-vercel-error'] as const;

/** Gives back a slot at a host. */
type Leave = () => Promise<void>;

type AnswerParts = Pick<Answer, 'finalUrl' | 'status' | 'headers' | 'body' | 'raw' | 'bytes' | 'sha256' | 'truncated'>;

interface Response {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Dispatcher.ResponseData['body'];
}

/**
 * Whether a connection that had answered before was closed under a request: the host may end a kept connection just as
 * it is used again, and a GET may then be repeated (RFC 9112 section 9.3.1).
 */
function closedAfterUse(error: unknown): boolean {
  return error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0;
}

/** A body as text, and its beginning as it came where the text does not say it. */
function bodyOf(bytes: Buffer): Pick<Answer, 'body' | 'raw'> {
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return isUtf8(bytes) ? { body } : { body, raw: Uint8Array.from(bytes.subarray(0, RAW_BYTES)) };
}

/** Pairs of undici's raw list of names and values. */
function headerLines(raw: readonly string[]): HeaderLines {
  return raw.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] ?? ''] as const] : []));
}

function valuesOf(headers: HeaderLines, name: string): readonly string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value);
}

/** The page of a redirect is not used, so its faults do not matter. */
async function discard({ body }: Response, signal: AbortSignal, listenMs: number): Promise<void> {
  const timer = setTimeout(() => body.destroy(), listenMs);
  const read = body.on('error', () => undefined).dump({ limit: REDIRECT_PAGE_BYTES, signal });
  await read.finally(() => {
    clearTimeout(timer);
  });
}
