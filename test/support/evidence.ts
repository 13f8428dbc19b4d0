import { createHash } from 'node:crypto';
import {
  HostEvidence,
  type Answer,
  type Exchange,
  type FailureReason,
  type RequestPhase,
  type TlsFault,
} from '@app/detectors';

/** A canned answer; the builders below create common ones. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly redirects?: Answer['redirects'];
  readonly finalUrl?: string;
  readonly truncated?: boolean;
  readonly failure?: FailureReason;
  /** The TLS fault of a failure. */
  readonly detail?: TlsFault;
  readonly phase?: RequestPhase;
}

const NONCE = '0123456789abcdef0123456789abcdef';
const AT = '2026-11-01T12:00:00.000Z';

export const json = (value: unknown, more: Reply = {}): Reply => ({
  status: 200,
  body: typeof value === 'string' ? value : JSON.stringify(value),
  ...more,
  headers: { 'content-type': 'application/json', ...more.headers },
});
export const html = (body = '<!doctype html><title>Shop</title><h1>Shop</h1>', more: Reply = {}): Reply => ({
  status: 200,
  body,
  ...more,
  headers: { 'content-type': 'text/html', ...more.headers },
});
export const plain = (body: string, more: Reply = {}): Reply => ({
  status: 200,
  body,
  ...more,
  headers: { 'content-type': 'text/plain', ...more.headers },
});
export const status = (code: number, more: Reply = {}): Reply => ({ status: code, body: '', ...more });
export const failure = (reason: FailureReason, more: Reply = {}): Reply => ({ failure: reason, ...more });

/**
 * A normal host at https://shop.example.com that answers 404 to everything except the given requests. Keys are a path
 * or URL, optionally with a method before and a body after it: `'/llms.txt'`, `'POST /mcp {}'`. `rest` replaces the
 * answer to all other requests, including the control pair.
 */
export function evidence(replies: Readonly<Record<string, Reply>>, rest: Reply = status(404)): HostEvidence {
  const origin = 'https://shop.example.com';
  const controls = { [`/.well-known/${NONCE}.json`]: rest, [`/${NONCE}.txt`]: rest };
  const exchanges = Object.entries({ '/': html(), ...controls, ...replies }).map(([key, reply]) => {
    const [, method = 'GET', url = key, body] = /^(?:(GET|POST) )?(\S+)(?: (.*))?$/s.exec(key) ?? [];
    return exchange(method as 'GET' | 'POST', new URL(url, origin).href, reply, body);
  });
  return new HostEvidence({ domain: 'shop.example.com', origin, site: 'example.com', exchanges });
}

export function exchange(method: 'GET' | 'POST', url: string, reply: Reply, requestBody?: string): Exchange {
  const base = {
    method,
    url,
    ...(requestBody === undefined ? {} : { requestBody }),
    phase: reply.phase ?? (method === 'POST' ? ('callability' as const) : ('presence' as const)),
    observedAt: AT,
    redirects: reply.redirects ?? [],
  };
  const { failure: reason, detail } = reply;
  if (reason) return { ...base, kind: 'failure', reason, ...(detail === undefined ? {} : { detail }) };
  const body = reply.body ?? '';
  const bytes = Buffer.from(body, 'utf8');
  return {
    ...base,
    kind: 'answer',
    finalUrl: reply.finalUrl ?? reply.redirects?.at(-1)?.location ?? url,
    status: reply.status ?? 200,
    headers: Object.entries(reply.headers ?? {}).flatMap(([name, value]) =>
      [value].flat().map((line) => [name.toLowerCase(), line] as const),
    ),
    body,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    truncated: reply.truncated ?? false,
  };
}
