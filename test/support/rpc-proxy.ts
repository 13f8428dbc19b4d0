import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * Changes an answer of the node: receives the call and its result, returns the new result, or undefined for an error.
 */
type Meddling = (call: Call, result: unknown) => unknown;

export interface RpcProxy {
  readonly url: string;
  meddle: Meddling;
  /** Drops every connection instead of answering. */
  down: boolean;
  readonly calls: readonly string[];
  close(): Promise<void>;
}

/** A proxy to the real node that lies, forgets or is down, as configured. */
export async function startRpcProxy(upstream: string): Promise<RpcProxy> {
  const calls: string[] = [];
  const self = { url: '', meddle: ((_call, result) => result) as Meddling, down: false, calls };
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const call = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call;
      calls.push(call.method);
      if (self.down) {
        response.destroy();
        return;
      }
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(upstream, { method: 'POST', headers, body: JSON.stringify(call) });
      const result = self.meddle(call, ((await answer.json()) as { result?: unknown }).result);
      const outcome = result === undefined ? { error: { code: -32_602, message: 'unknown block tag' } } : { result };
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...outcome }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(self, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  });
}
