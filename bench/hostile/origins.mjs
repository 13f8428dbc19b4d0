// Fifty hostile origins and a healthy one on loopback, in their own process; the parent gets their ports.
import { createServer } from 'node:https';
import { createServer as createTcp } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { built, portOf } from '../stage/built.mjs';

const { createAuthority, selfSigned } = built('apps/standalone/src/embedded/certificates');

const HEALTHY_MS = 50;

async function certificates() {
  const authority = await createAuthority('bench authority');
  return {
    ca: authority.cert,
    good: await authority.issue(['*.example.com']),
    expired: await authority.issue(['*.example.com'], new Date(Date.now() - 1_000)),
    selfSigned: await selfSigned(['*.example.com']),
  };
}

const every = (ms, socket, write) => {
  const timer = setInterval(write, ms);
  socket.once('close', () => clearInterval(timer));
};
const nothing = Buffer.alloc(50_000_000);
const coded = (body, coding) => (_, res) =>
  res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding }).end(body);
const plain =
  (body, type = 'application/json') =>
  (_, res) =>
    res.writeHead(200, { 'content-type': type }).end(body);
const repeated = (unit, bytes) => unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes);

const gzip = gzipSync(nothing);
const bombs = {
  'gzip bomb': coded(gzip, 'gzip'),
  'br bomb': coded(brotliCompressSync(nothing, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }), 'br'),
  'deflate bomb': coded(deflateSync(nothing), 'deflate'),
  'nested codings': coded(gzipSync(gzip), 'gzip, gzip'),
};

/** The kinds of misbehavior, for every path. */
const KINDS = {
  ...bombs,
  'slow headers': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    every(100, socket, () => socket.write('x'));
  },
  'one byte per 300 ms': (_, res) => {
    res.writeHead(200);
    every(300, res, () => res.write(' '));
  },
  'endless body': (_, res) => {
    const more = () => {
      while (!res.destroyed && res.write(repeated('a', 65_536)));
    };
    res.writeHead(200).on('drain', more);
    more();
  },
  'endless headers': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    every(1, socket, () => socket.write('x-more: and more\r\n'.repeat(20)));
  },
  'chunk extension without end': ({ socket }) => {
    const more = () => {
      while (!socket.destroyed && socket.write(repeated('x', 65_536)));
    };
    socket.on('drain', more).write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;');
    more();
  },
  'two megabytes in a coding that was not offered': coded(Buffer.alloc(2_000_000), 'zstd'),
  'JSON 10,000 deep': plain('['.repeat(10_000) + ']'.repeat(10_000)),
  'JSON of 400,000 members': plain(`{${Array.from({ length: 400_000 }, (_, i) => `"k${i}":1`).join(',')}}`),
  'YAML aliases': plain(
    `openapi: 3.0.3\na: &a [x]\n${repeated('b: [*a, *a, *a, *a]\n', 1_000_000)}`,
    'application/yaml',
  ),
  'HTML of two megabytes': plain(`<!doctype html>${repeated('<p>x</p>', 2_000_000)}`, 'text/html'),
  'redirect loop': (req, res) => res.writeHead(302, { location: req.url }).end(),
  'redirect to metadata': (_, res) =>
    res.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  'reset in mid-body': ({ socket }, res) => {
    res.writeHead(200, { 'content-length': '100000' }).write('half');
    setTimeout(() => socket.destroy(), 5);
  },
  'early hints without end': ({ socket }) => every(5, socket, () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n')),
  'wrong content length': ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\nshort'),
  'no answer': () => undefined,
  'expired certificate': 'expired',
  'self-signed certificate': 'selfSigned',
  'no handshake': 'silent',
};

/** The heaviest documents that a probe accepts, each at every path; the detector threads have to parse them. */
const DOCUMENTS = {
  'OpenAPI of 5 MB': plain(
    `{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":{${Array.from({ length: 9_000 }, (_, i) => `"/p${i}/${'s'.repeat(460)}":{"get":{"x-payment-info":{"protocols":["x402"]}}}`).join(',')}}}`,
  ),
  'JSON of 19,000 long members': plain(
    `{${Array.from({ length: 19_000 }, (_, i) => `"member${i}":"${'x'.repeat(35)}"`).join(',')}}`,
  ),
  'YAML of a megabyte': plain(
    `openapi: 3.0.3\npaths:\n${repeated('  /path-of-some-length: {get: {summary: text}}\n', 1_000_000)}`,
    'application/yaml',
  ),
  'links of 5 MB': plain(`# Shop\n${repeated('- [a](https://shop.example.com/a): note\n', 5_000_000)}`, 'text/plain'),
  'control characters of 5 MB': plain(repeated('\u0001', 5_000_000), 'text/plain'),
  'five megabytes that are not UTF-8': plain(Buffer.alloc(5_000_000, 0xff), 'text/plain'),
};

/** A normal host: every path answers after 50 ms, a few of them with a document. */
const healthy = (req, res) => {
  const card = { name: 'Shop', description: 'd', version: '1', url: 'https://healthy.example.com/a2a', skills: [] };
  const documents = { '/llms.txt': '# Shop\n', '/.well-known/agent-card.json': JSON.stringify(card) };
  const body = documents[req.url];
  setTimeout(
    () => res.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(body ?? '{}'),
    HEALTHY_MS,
  );
};

function listen(kind, certs) {
  if (kind === 'silent') return portOf(createTcp());
  const server = createServer(certs[kind] ?? certs.good, typeof kind === 'function' ? kind : plain('{}'));
  return portOf(server.on('clientError', (_, socket) => socket.destroy()));
}

process.on('uncaughtException', (error) => {
  if (!['ECONNRESET', 'EPIPE'].includes(error.code)) throw error;
});
const certs = await certificates();
const names = Object.keys(KINDS);
const origins = [];
for (let i = 0; i < Number(process.argv[2]); i += 1) {
  const kind = names[i % names.length];
  origins.push({ kind, name: `hostile-${i}.example.com`, port: await listen(KINDS[kind], certs) });
}
const documents = [];
for (const [kind, route] of Object.entries(DOCUMENTS))
  documents.push({ kind, name: `document-${documents.length}.example.com`, port: await listen(route, certs) });
const shop = { name: 'healthy.example.com', port: await listen(healthy, certs) };
process.send({ ca: certs.ca, origins, documents, healthy: shop });
