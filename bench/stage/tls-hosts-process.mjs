// Serves the hosts of tls-hosts.mjs: `node tls-hosts-process.mjs <count> <delay in ms>`.
import { createServer } from 'node:https';
import { built, portOf } from './built.mjs';

const { createAuthority } = built('apps/standalone/src/embedded/certificates');
const { fullStore } = built('apps/standalone/src/demo/full-store');
const { CHAINS } = built('libs/networks/src/index');

const [count, delayMs] = process.argv.slice(2).map(Number);
const store = fullStore({ network: CHAINS['eip155:8453'], payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' });
const authority = await createAuthority('hostprobe bench');
const certificate = await authority.issue(['*.example.com']);
let requests = [];

/** The store under another name. Documents are built once; called endpoints are answered each time. */
function siteNamed(name) {
  const documents = new Map();
  return (method, path, body) => {
    const known = documents.get(path);
    if (known && method === 'GET') return known;
    const answer = store.answer({ method, path, body });
    const renamed = { ...answer, body: answer.body.replaceAll(store.name, name) };
    const header = renamed.headers['payment-required'];
    if (header) {
      const challenge = Buffer.from(header, 'base64').toString().replaceAll(store.name, name);
      renamed.headers = { ...renamed.headers, 'payment-required': Buffer.from(challenge).toString('base64') };
    }
    renamed.headers = { ...renamed.headers, 'content-length': Buffer.byteLength(renamed.body) };
    if (method === 'GET') documents.set(path, renamed);
    return renamed;
  };
}

async function listen(name) {
  const answerTo = siteNamed(name);
  const server = createServer(certificate, (request, response) => {
    requests.push(`${request.method} https://${name}${request.url}`);
    // Under its other name, every path redirects here, as an apex redirects to www.
    if (request.headers.host === movedNameOf(name)) {
      const send = () => response.writeHead(301, { location: `https://${name}${request.url}` }).end();
      setTimeout(send, delayMs);
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text));
    request.on('end', () => {
      const answer = answerTo(request.method, request.url.split('?', 1)[0], body);
      const send = () => response.writeHead(answer.status, answer.headers).end(answer.body);
      if (delayMs > 0) setTimeout(send, delayMs);
      else send();
    });
  });
  return { name, port: await portOf(server.on('clientError', (_, socket) => socket.destroy())) };
}

const movedNameOf = (name) => `moved-${name}`;
const names = Array.from({ length: count }, (_, index) => `shop${index + 1}.example.com`);
const hosts = await Promise.all(names.map(listen));
process.on('message', () => {
  process.send(requests);
  requests = [];
});
process.send({ ca: authority.cert, hosts });
