// An internet on every address of a network namespace: a name server on 127.0.0.1 that spreads sites over many networks, and
// one TLS server that is each of them. Counts what each host is asked.
import dgram from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import { built } from '../../bench/stage/built.mjs';
import { kindOf, SUFFIXES } from './names.mjs';

const dnsPacket = createRequire(import.meta.url)('dns-packet');
const { createAuthority } = built('apps/standalone/src/embedded/certificates');

const HOME = '<!doctype html><html lang="en"><title>A shop</title><h1>Lamps</h1><p>Open from nine to five.</p></html>';
const MAP = '# Lamps\n\n> Lamps of all kinds.\n\n## Docs\n\n- [Prices](/prices.md): what they cost\n';
const CARD = JSON.stringify({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: 'com.example/lamps',
  version: '1.0.0',
  description: 'Lamps',
  remotes: [{ type: 'streamable-http', url: '/mcp' }],
});
const WAIT_MS = { slow: 1_500, store: 50 };
const FIRST_NETWORK = 45; // 45.0.0.0 to 61.255.255.255 are all of the open internet
const NETWORKS = 17;

const asked = new Map();
const text = (status, type, body, headers = {}) => [status, { 'content-type': type, ...headers }, body];
const NONE = text(404, 'text/html', '<!doctype html><title>Not found</title><p>Nothing is here.');
const page = (path) => (path === '/' ? text(200, 'text/html', HOME) : NONE);

/** What a host of each kind answers: status, headers, body. */
const ANSWERS = {
  nothing: page,
  slow: page,
  redirects: (path) =>
    path === '/' ? text(301, 'text/html', '', { location: '/en/' }) : path === '/en/' ? page('/') : NONE,
  walled: () =>
    text(403, 'text/html', '<!doctype html><title>Just a moment...</title>', {
      server: 'cloudflare',
      'cf-mitigated': 'challenge',
    }),
  unwanted: (path) => (path === '/robots.txt' ? text(200, 'text/plain', 'User-agent: *\nDisallow: /\n') : page(path)),
  llms: (path) => (path === '/llms.txt' ? text(200, 'text/plain', MAP) : page(path)),
  store: (path) => ANSWERS.llms(path),
  mcp: (path) => (path === '/.well-known/mcp/server-card.json' ? text(200, 'application/json', CARD) : page(path)),
};

function serve(request, response) {
  const name = String(request.headers.host).toLowerCase();
  const kind = kindOf(name);
  asked.set(name, (asked.get(name) ?? 0) + 1);
  if (kind === 'hangs') return;
  const [status, headers, body] = ANSWERS[kind]?.(request.url) ?? NONE;
  const answer = () => response.writeHead(status, headers).end(body);
  if (kind in WAIT_MS) setTimeout(answer, WAIT_MS[kind]);
  else answer();
}

/** An address that stays the same for a name; neighbours in a list are in other networks. */
function addressOf(name) {
  let hash = 2_166_136_261;
  for (const char of name) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619) >>> 0;
  return [FIRST_NETWORK + ((hash >>> 24) % NETWORKS), (hash >>> 16) & 255, (hash >>> 8) & 255, (hash & 127) + 1].join(
    '.',
  );
}

const names = dgram.createSocket('udp4').on('message', (message, from) => {
  const query = dnsPacket.decode(message);
  const [{ name, type }] = query.questions;
  const gone = kindOf(name.toLowerCase()) === 'gone';
  const answers = !gone && type === 'A' ? [{ name, type, ttl: 300, data: addressOf(name.toLowerCase()) }] : [];
  const flags = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | (gone ? 3 : 0);
  names.send(dnsPacket.encode({ ...query, type: 'response', flags, answers }), from.port, from.address);
});
const authority = await createAuthority('hostprobe census');
const certificate = await authority.issue(SUFFIXES.map((suffix) => `*.${suffix}`));
const servers = [createServer(certificate, serve).listen(443), createHttp(serve).listen(80)];
await Promise.all([...servers.map((server) => once(server, 'listening')), new Promise((done) => names.bind(53, done))]);
process.on('message', () => {
  const counts = [...asked.values()];
  process.send({
    requests: counts.reduce((sum, count) => sum + count, 0),
    most: Math.max(0, ...counts),
    hosts: counts.length,
  });
});
process.send({ ca: authority.cert });
