import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { BlockList, isIPv6, type AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';

export interface MonitorOptions {
  /**
   * The address to listen on, or a range (CIDR); with a range, only callers from it and from this machine are answered.
   */
  readonly host: string;
  /** 0 uses any free port. */
  readonly port: number;
  readonly registry: Registry;
  /** Whether the process can do its work now. */
  readonly ready: () => Promise<boolean>;
}

export interface MonitorServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A separate listener for operators: `/metrics`, `/health/live`, `/health/ready`. It has no password, so it belongs on
 * loopback or a private network.
 */
export async function startMonitor({ host, port, registry, ready }: MonitorOptions): Promise<MonitorServer> {
  const routes: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/metrics': async (response) => {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    },
    '/health/live': (response) => {
      say(response, 200, 'ok');
      return Promise.resolve();
    },
    '/health/ready': async (response) => {
      if (await ready()) say(response, 200, 'ok');
      else say(response, 503, 'down');
    },
  };
  const server = createServer((request, response) => {
    const route = request.method === 'GET' ? routes[request.url ?? ''] : undefined;
    if (!route) say(response, 404, 'not found');
    else route(response).catch(() => response.destroy());
  });
  const [network, prefix] = host.split('/');
  if (network !== undefined && prefix !== undefined) admitOnly(server, network, Number(prefix));
  server.listen(port, prefix === undefined ? host : isIPv6(network ?? '') ? '::' : '0.0.0.0');
  await once(server, 'listening');
  const { address, port: bound, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function admitOnly(server: Server, network: string, prefix: number): void {
  const admitted = new BlockList();
  admitted.addSubnet(network, prefix, isIPv6(network) ? 'ipv6' : 'ipv4');
  admitted.addSubnet('127.0.0.0', 8);
  admitted.addAddress('::1', 'ipv6');
  server.on('connection', (socket) => {
    const caller = socket.remoteAddress ?? '';
    if (!admitted.check(caller, isIPv6(caller) ? 'ipv6' : 'ipv4')) socket.destroy();
  });
}

function say(response: ServerResponse, status: number, word: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ status: word }));
}
