import type { IncomingMessage, ServerResponse } from 'node:http';
import { startTestHost, type TestHost } from '../test-host';
import { until } from '../until';
import type { Doomed } from './doomed';

/** Receivers of alerts on one host, by path. They answer with 2xx, unless the worker is killed before. */
export interface Receiver {
  readonly host: TestHost;
  /** How often each message was answered, by {@link deliveryKey}. */
  readonly answered: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** The key of a delivery: its target and its alert. */
export const deliveryKey = (path: string, alert: string): string => `${path} ${alert}`;

/** @param takers which process last took each alert; a message removes its entry */
export async function startReceiver(takers: Map<string, Doomed>): Promise<Receiver> {
  const answered = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    const alert = String(request.headers['webhook-id']);
    const key = deliveryKey(request.url ?? '', alert);
    await until(`it is known who took ${key}`, () => takers.has(key));
    const taker = takers.get(key)!;
    takers.delete(key);
    if (taker.comesTo('sent')) return;
    const { data } = JSON.parse(body) as { readonly data: { readonly challenge?: string } };
    response.end(data.challenge ?? '', () => {
      answered.set(key, (answered.get(key) ?? 0) + 1);
      taker.comesTo('answered');
    });
  };
  const host = await startTestHost({
    '*': (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => void answer(request, response, body));
    },
  });
  return { host, answered, close: () => host.close() };
}
