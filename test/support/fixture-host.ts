import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeHost, DETECTORS } from '@app/detectors';
import {
  assembleFacts,
  cacheState,
  originFrom,
  paymentRails,
  reachableFrom,
  type ChangesReport,
  type HostFacts,
} from '@app/reports';
import type { Reply } from './evidence';
import { hostName } from './probing';
import { probeSite } from './site';
import type { HostReading } from '../../apps/gateway/src/reports/host-reading';

/**
 * The answer of a fixture to one request. `file` is the body; headers may contain `{{base64:file}}` and
 * `{{base64url:file}}`.
 */
export interface FixtureRoute extends Omit<Reply, 'body'> {
  readonly file?: string;
}

/** Fields whose absence rightly changes nothing, by JSON pointer, with the reason. */
export interface FreeMember {
  readonly pointers: RegExp;
  /** Whether only their absence changes nothing, or also a wrong type. */
  readonly may: 'be missing' | 'be anything';
  readonly because: string;
}

/** A complete host: its answers, and the fields in its documents that do not affect a status. */
export interface FixtureHost {
  readonly routes: Readonly<Record<string, FixtureRoute>>;
  /** The answer to other requests; by default 404. */
  readonly rest?: FixtureRoute;
  /** By file; a sentence in place of a list means that the whole file has no effect. */
  readonly free?: Readonly<Record<string, readonly FreeMember[] | string>>;
  /** Routes whose error statuses rightly change nothing, with the reason. */
  readonly freeRoutes?: Readonly<Record<string, string>>;
}

export type Files = Readonly<Record<string, string>>;

export const FIXTURES = join(__dirname, '../fixtures/hosts');

export function fixtureNames(): readonly string[] {
  return readdirSync(FIXTURES).sort();
}

/** The documents of a fixture, by file name. */
export function fixtureFiles(name: string): Files {
  const files = readdirSync(join(FIXTURES, name)).filter((file) => file !== 'host.ts');
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(FIXTURES, name, file), 'utf8')]));
}

/** The report of a fixture as the worker would store it, with the times of the fixture's answers. */
export async function reportOf(host: FixtureHost, files: Files): Promise<HostFacts> {
  const { routes, rest } = repliesOf(host, files);
  const seen = await probeSite(routes, rest);
  const at = seen.exchanges[0]?.observedAt ?? '';
  const name = hostName(seen.domain);
  return assembleFacts({
    host: name,
    origin: originFrom(name, seen.exchanges),
    reachable: reachableFrom(seen.exchanges),
    ...judgeHost(DETECTORS, seen),
    rails: paymentRails(seen),
    clocks: { probedAt: at, callabilityProbedAt: at },
  });
}

/** The answers of a fixture by request, and the answer to other requests. */
export function repliesOf(host: FixtureHost, files: Files): { routes: Readonly<Record<string, Reply>>; rest?: Reply } {
  const routes = Object.entries(host.routes).map(([key, route]) => [key, replyOf(route, files)] as const);
  return { routes: Object.fromEntries(routes), ...(host.rest && { rest: replyOf(host.rest, files) }) };
}

function replyOf({ file, headers = {}, ...reply }: FixtureRoute, files: Files): Reply {
  const filled = Object.entries(headers).map(([name, value]) => [name, [value].flat().map((v) => fill(v, files))]);
  return {
    ...reply,
    headers: { ...typeOf(file), ...(Object.fromEntries(filled) as Record<string, string[]>) },
    ...(file === undefined ? {} : { body: textOf(file, files) }),
  };
}

function fill(value: string, files: Files): string {
  return value.replace(/\{\{(base64|base64url):([^}]+)\}\}/g, (_, encoding: string, file: string) =>
    Buffer.from(compact(textOf(file, files)), 'utf8').toString(encoding as 'base64' | 'base64url'),
  );
}

/** JSON in a header is sent without the file's white space. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function textOf(file: string, files: Files): string {
  const text = files[file];
  if (text === undefined) throw new Error(`the fixture has no file ${file}`);
  return text;
}

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  html: 'text/html',
  txt: 'text/plain',
  yaml: 'application/yaml',
};

function typeOf(file: string | undefined): Record<string, string> {
  const type = TYPES[file?.split('.').at(-1) ?? ''];
  return type === undefined ? {} : { 'content-type': type };
}

/** The URL of the service in {@link readingOf}, and the time of reading. */
export const BASE = 'https://hostprobe.example.org';
export const NOW = new Date('2026-11-01T13:00:00.000Z');

/** A report with a history that also quotes the host. */
export function readingOf(facts: HostFacts, quoted: string): HostReading {
  const report = {
    ...facts,
    cache: cacheState(facts, NOW),
    refresh: {
      payable: true,
      priceUsd: 0.02,
      network: 'eip155:8453',
      rest: { method: 'GET', url: `${BASE}/api/v1/hosts/${facts.domain}/refresh` },
      mcp: { tool: 'refresh_host', path: '/api/v1/mcp' },
      docs: `${BASE}/openapi.json`,
    },
  } as const;
  const change = { at: '2026-10-01T00:00:00.000Z', protocol: 'x402', summary: `x402 is at ${quoted}` };
  const changes: ChangesReport = {
    domain: facts.domain,
    full: false,
    changes: [
      { id: '2', kind: 'endpoint_changed', ...change },
      { id: '1', kind: 'appeared', ...change },
    ],
    subscribe: {
      priceUsd: 5,
      days: 30,
      network: 'eip155:8453',
      rest: { method: 'POST', url: `${BASE}/api/v1/hosts/${facts.domain}/subscription` },
      docs: `${BASE}/openapi.json`,
    },
  };
  return { report, changes };
}
