// Receivers of alerts on loopback in their own process: healthy ones, and hostile ones that try to delay a worker.
import { createServer } from 'node:https';
import { createServer as createTcp } from 'node:net';
import { built, portOf } from '../../bench/stage/built.mjs';

const { createAuthority } = built('apps/standalone/src/embedded/certificates');

const answers = (status, headers) => (_, response) => response.writeHead(status, headers).end();
const takes = (seconds, begin) => (_, response) => {
  if (begin) response.writeHead(200).flushHeaders();
  const timer = setTimeout(() => response.end(), seconds * 1_000);
  response.once('close', () => clearTimeout(timer));
};

function drip(_, response) {
  response.writeHead(200).flushHeaders();
  const timer = setInterval(() => response.write('.'), 200);
  response.once('close', () => clearInterval(timer));
}

/** The behavior of each kind of receiver. Those that end after 14 s never fail. */
const OVER_TLS = {
  healthy: answers(204),
  'takes 60 s': takes(60, false),
  'ends after 14 s': takes(14, true),
  'drips bytes': drip,
  'redirects inside': answers(302, { location: 'http://169.254.169.254/latest/meta-data/' }),
  'answers 500': answers(500),
};
const OVER_TCP = { resets: (socket) => socket.resetAndDestroy(), 'never answers TLS': () => undefined };

/** @param names receivers with their kinds: `[kind, name]` */
async function listen(names) {
  const authority = await createAuthority('hostprobe alerts');
  const certificate = await authority.issue(names.map(([, name]) => name));
  const ports = {};
  for (const [kind, answer] of Object.entries(OVER_TLS))
    ports[kind] = await portOf(createServer(certificate, answer), '0.0.0.0');
  for (const [kind, meet] of Object.entries(OVER_TCP)) ports[kind] = await portOf(createTcp(meet), '0.0.0.0');
  // Each in its own address block, except the healthy ones, because a block has its own budget of messages per minute.
  const connectTo = names.map(([kind, name], n) => `${name}:443=127.0.${kind === 'healthy' ? 0 : n}.1:${ports[kind]}`);
  process.send({ ca: authority.cert, connectTo: connectTo.join(',') });
}

process.once('message', (names) => void listen(names));
