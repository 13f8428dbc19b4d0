// The probed hosts in their own network behind the machine: `hosts.mjs <address> <gateway>`. The parent sends the
// certificate once it has connected the network.
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { run } from './tools.mjs';

const [address, own, gateway] = process.argv.slice(2);
const answer = (request, response) => {
  const home = request.url === '/';
  response.writeHead(home ? 200 : 404, { 'content-type': 'text/html' }).end(home ? '<!doctype html><p>a shop' : 'none');
};

const told = once(process, 'message');
process.send('waits');
const [certificate] = await told;
run('ip', ['link', 'set', 'lo', 'up']);
run('ip', ['addr', 'add', `${own}/30`, 'dev', 'machine0']);
run('ip', ['addr', 'add', `${address}/32`, 'dev', 'machine0']);
run('ip', ['link', 'set', 'machine0', 'up']);
run('ip', ['route', 'add', 'default', 'via', gateway]);
const servers = [
  createHttp(answer).listen(80),
  createHttps(certificate, answer).listen(443),
  createHttp(answer).listen(8545),
];
await Promise.all(servers.map((server) => once(server, 'listening')));
process.send('serves');
