import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import type { TlsOptions } from 'node:tls';
import { join } from 'node:path';
import { testAuthority, testCertificate, type CertificateKind } from './test-tls';

/** Writes one answer; it may misbehave in any way. */
export type Route = (request: IncomingMessage, response: ServerResponse) => void;

export interface TestHostOptions {
  readonly certificate?: CertificateKind;
  /** Uses plain HTTP, as on port 80. */
  readonly plain?: boolean;
  /** Additional settings of the TLS server. */
  readonly tls?: TlsOptions;
}

/** A host on loopback, which a prober reaches through its connect-to list. */
export interface TestHost {
  readonly port: number;
  /** `METHOD path` of every request, in order of arrival. */
  readonly requests: readonly string[];
  /** The requests themselves, so that tests can read their headers. */
  readonly received: readonly IncomingMessage[];
  /** TCP connections accepted. */
  readonly connections: () => number;
  /** The connect-to entry for a name of this host. */
  as(name: string, port?: number): string;
  close(): Promise<void>;
}

/** Starts a host that answers the given paths, and others with 404; `*` handles every path that is not listed. */
export async function startTestHost(
  routes: Readonly<Record<string, Route>>,
  { certificate = 'good', plain = false, tls = {} }: TestHostOptions = {},
): Promise<TestHost> {
  const received: IncomingMessage[] = [];
  const listener: RequestListener = (request, response) => {
    received.push(request);
    const route = routes[request.url ?? ''] ?? routes['*'];
    if (route) route(request, response);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
  };
  const server = plain
    ? createHttp(listener)
    : createHttps({ ...(await testCertificate(certificate)), ...tls }, listener);
  server.on('tlsClientError', () => undefined);
  server.on('clientError', (_error, socket) => socket.destroy());
  return listen(server, received);
}

/** Starts a host that gets raw TCP connections and may hang, reset or send garbage. */
export function startTcpHost(onConnection: (socket: Socket) => void): Promise<TestHost> {
  return listen(createTcp(onConnection), []);
}

async function listen(server: Server, received: readonly IncomingMessage[]): Promise<TestHost> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined));
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    received,
    get requests() {
      return received.map((request) => `${request.method ?? ''} ${request.url ?? ''}`);
    },
    connections: () => connections,
    as: (name, at = 443) => `${name}:${at}=127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Path of a PEM file with the test authority, for `PROBE_CA_FILE`. */
export async function testCaFile(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'hostprobe-ca-')), 'ca.pem');
  writeFileSync(file, (await testAuthority()).cert);
  return file;
}

/** A route with a fixed status, body and headers. */
export function says(body: string | Buffer, headers: Readonly<Record<string, string>> = {}, status = 200): Route {
  return (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** A route that redirects. */
export function redirects(location: string, status = 302): Route {
  return (_request, response) => response.writeHead(status, { location }).end();
}
