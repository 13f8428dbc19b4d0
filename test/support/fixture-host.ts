import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeHost, DETECTORS } from '@app/detectors';
import { assembleFacts, originFrom, paymentRails, reachableFrom, type HostFacts } from '@app/reports';
import type { Reply } from './evidence';
import { hostName } from './probing';
import { probeSite } from './site';

/** How a fixture answers one request. `file` is the body; `{{base64:file}}` and `{{base64url:file}}` work in headers. */
export interface FixtureRoute extends Omit<Reply, 'body'> {
  readonly file?: string;
}

/** Members that rightly change nothing, told by their JSON pointers, and why. */
export interface FreeMember {
  readonly pointers: RegExp;
  /** Where they may be missing, a wrong type is still a fault. */
  readonly may: 'be missing' | 'be anything';
  readonly because: string;
}

/** One whole host: what it answers, and which members of its documents decide no status. */
export interface FixtureHost {
  readonly routes: Readonly<Record<string, FixtureRoute>>;
  /** What it says to everything else; 404 when not given. */
  readonly rest?: FixtureRoute;
  /** By file; a file with a sentence in place of a list decides nothing as a whole. */
  readonly free?: Readonly<Record<string, readonly FreeMember[] | string>>;
  /** Routes whose error statuses rightly change nothing, and why. */
  readonly freeRoutes?: Readonly<Record<string, string>>;
}

export type Files = Readonly<Record<string, string>>;

export const FIXTURES = join(__dirname, '../fixtures/hosts');

export function fixtureNames(): readonly string[] {
  return readdirSync(FIXTURES).sort();
}

/** The documents of a fixture, by file name. */
export function fixtureFiles(name: string): Files {
  const files = readdirSync(join(FIXTURES, name)).filter((file) => file !== 'host.ts' && file !== 'report.json');
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(FIXTURES, name, file), 'utf8')]));
}

/** The report of a fixture as the worker would store it, its clocks those of the fixture's answers. */
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

/** What a fixture answers, by request, and what it says to everything else. */
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

/** JSON in a header is sent without the white space of the file. */
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
