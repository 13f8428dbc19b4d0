import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stack } from './stack';

/** What a sick facilitator does; everything else it passes on to the real one. */
export type FacilitatorFault =
  | 'none'
  | 'verify_500'
  | 'verify_junk'
  | 'settle_500'
  | 'settle_refused'
  | 'settle_not_sent' // the connection drops before anything is sent
  | 'settle_landed_then_dropped';

/** The real facilitator behind a door that can be made to fail. */
export interface FaultyFacilitator {
  readonly url: string;
  fault: FacilitatorFault;
  /** Settlements that reached the real facilitator. */
  readonly settlements: () => number;
  /** `Authorization` header of every call, with its path. */
  readonly authorizations: readonly string[];
  close(): Promise<void>;
}

export async function startFaultyFacilitator(port = 0): Promise<FaultyFacilitator> {
  let settlements = 0;
  const authorizations: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const self: FaultyFacilitator = {
    url: '',
    fault: 'none',
    settlements: () => settlements,
    authorizations,
    close: () =>
      new Promise((resolve) => {
        server
          .close(() => {
            resolve();
          })
          .closeAllConnections();
      }),
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path, fault] = [request.url ?? '', self.fault];
    authorizations.push(`${path} ${request.headers.authorization ?? ''}`);
    if (path === '/verify' && fault === 'verify_500') return void response.writeHead(500).end('<h1>secret stack</h1>');
    if (path === '/verify' && fault === 'verify_junk') return void response.writeHead(200).end('"ok"');
    if (path === '/settle' && fault === 'settle_500') return void response.writeHead(500).end('<h1>secret stack</h1>');
    if (path === '/settle' && fault === 'settle_not_sent') return void response.destroy();
    if (path === '/settle' && fault === 'settle_refused') {
      const refusal = { success: false, errorReason: 'insufficient_funds', transaction: '', network: 'eip155:8453' };
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
    }
    if (path === '/settle') settlements += 1;
    const upstream = await fetch(`${stack().facilitatorUrl}${path}`, {
      method: request.method ?? 'GET',
      ...(request.method === 'POST'
        ? { body: Buffer.concat(chunks), headers: { 'content-type': 'application/json' } }
        : {}),
    });
    const body = await upstream.text();
    if (path === '/settle' && fault === 'settle_landed_then_dropped') return void response.destroy();
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(body);
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return Object.assign(self, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
