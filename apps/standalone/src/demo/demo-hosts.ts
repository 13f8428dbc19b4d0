import { writeFileSync, appendFileSync, mkdirSync } from 'node:fs';
import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { join, dirname } from 'node:path';
import { createAuthority } from '../embedded/certificates';
import { startDemoFolder, type DemoFolder } from './demo-folder';
import { type DemoAnswer, type DemoSite, json, NOT_FOUND, text } from './demo-site';
import { fullStore } from './full-store';
import type { PricedRoute } from './priced-route';
import { apiOnly, bare, botWall, brokenTls, htmlEverywhere, otherPayee, partial, rateLimited } from './small-sites';
import { VERIFY_TYPE } from '@app/owners';

/** A demo host, and the feature that it demonstrates. */
export type ShownSite = Required<Pick<DemoSite, 'name' | 'shows'>>;

export interface DemoHosts {
  /** The demo hosts that are worth a probe. */
  readonly sites: readonly ShownSite[];
  /** Entries for PROBE_CONNECT_TO that direct probes of these names to this machine. */
  readonly connectTo: string;
  /** File with the certificate of their authority, for PROBE_CA_FILE. */
  readonly caFile: string;
  /** The name server for the TXT records of their claims, for CLAIM_RESOLVERS. */
  readonly resolver: string;
  readonly stop: () => Promise<void>;
}

/** A probe sends a few hundred bytes; a client that sends more than this is not the prober. */
const MAX_BODY_BYTES = 65_536;

/** How long ago the expired certificate of a demo host ended, in milliseconds. */
const EXPIRED_MS = 3_600_000;

/** Serves the demo hosts over TLS, and redirects from plain HTTP to it, on two free ports of 127.0.0.1. */
export async function startDemoHosts(money: Pick<PricedRoute, 'network' | 'payTo'>, dir: string): Promise<DemoHosts> {
  const visitors = join(dir, 'demo');
  const receiver = demoReceiver(join(visitors, 'alerts.jsonl'));
  const sites = [
    fullStore(money),
    apiOnly(money),
    otherPayee(money),
    partial,
    bare,
    htmlEverywhere,
    brokenTls,
    rateLimited,
    botWall,
    receiver,
  ];
  const names = sites.map(({ name }) => name);
  const authority = await createAuthority('hostprobe demo hosts');
  const caFile = join(dir, 'demo-ca.pem');
  writeFileSync(caFile, authority.cert);
  const folder = await startDemoFolder(names, visitors);
  const server = createHttps(await authority.issue(names), serve(sites, folder));
  for (const { name, expired } of sites) {
    if (expired) server.addContext(name, await authority.issue([name], new Date(Date.now() - EXPIRED_MS)));
  }
  const tls = await listen(server);
  const plain = await listen(createHttp(redirectToTls));
  const entries = names.flatMap((name) => [`${name}:443=127.0.0.1:${tls.port}`, `${name}:80=127.0.0.1:${plain.port}`]);
  return {
    sites: sites.flatMap(({ name, shows }) => (shows === undefined ? [] : [{ name, shows }])),
    connectTo: entries.join(','),
    caFile,
    resolver: folder.resolver,
    stop: async () => {
      await Promise.all([tls.close(), plain.close(), folder.stop()]);
    },
  };
}

type HttpServer = ReturnType<typeof createHttp> | ReturnType<typeof createHttps>;

async function listen(server: HttpServer): Promise<{ port: number; close: () => Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no free port for the demo hosts');
  return {
    port: address.port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function serve(sites: readonly DemoSite[], folder: Pick<DemoFolder, 'file'>): RequestListener {
  return (request, response) => {
    const site = sites.find(({ name }) => name === hostOf(request));
    if (!site) {
      response.writeHead(421).end();
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
      if (body.length > MAX_BODY_BYTES) request.destroy();
    });
    request.on('end', () => {
      const { method = 'GET', headers } = request;
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
      send(response, folder.file(site.name, path) ?? site.answer({ method, path, body, headers }));
    });
  };
}

function redirectToTls(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(301, { location: `https://${hostOf(request)}${request.url ?? '/'}` }).end();
}

function hostOf(request: IncomingMessage): string {
  return (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
}

function send(response: ServerResponse, answer: DemoAnswer): void {
  response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

/**
 * A receiver of alerts for anybody to try. It accepts every message, answers the challenge in the first one, and
 * appends each message to a file as a line of JSON (`headers`, `body`), which can be verified with the secret of its
 * watch.
 * @param file created when the first message arrives
 */
function demoReceiver(file: string): DemoSite {
  return {
    name: 'hooks.example.com',
    answer: ({ method, body, headers }) => {
      if (method !== 'POST') return NOT_FOUND;
      const signed = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));
      mkdirSync(dirname(file), { recursive: true });
      appendFileSync(file, `${JSON.stringify({ headers: signed, body })}\n`);
      return answerTo(body);
    },
  };
}

function answerTo(body: string): DemoAnswer {
  try {
    const { type, data } = JSON.parse(body) as { type?: unknown; data?: { challenge?: unknown } };
    return type === VERIFY_TYPE ? json({ challenge: data?.challenge }) : text('text/plain', 'taken');
  } catch {
    return json({ error: 'that is no JSON' }, {}, 400);
  }
}
