import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { retryingFetch } from './retrying-fetch';

type Reply = (response: ServerResponse) => void;

const says =
  (status: number, code: string): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code, error: code }));
const hangsUp: Reply = (response) => response.destroy();
const answers = says(200, 'answer');

describe('a fetch that retries payments', () => {
  let server: Server;
  let url: string;
  let replies: Reply[];
  let received: IncomingMessage[];
  let retries = 0;
  const patient = retryingFetch(fetch, { pauseMs: 1, onRetry: () => (retries += 1) });
  const paid = { headers: { 'payment-signature': 'one and the same' } };

  beforeEach(async () => {
    received = [];
    retries = 0;
    server = createServer((request, response) => {
      received.push(request);
      (replies.shift() ?? answers)(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('sends the same payment again while it is in progress or its response was lost', async () => {
    replies = [hangsUp, says(503, 'settlement_unknown'), says(503, 'payment_in_progress'), answers];
    expect((await patient(url, paid)).status).toBe(200);
    expect(received.map(({ headers }) => headers['payment-signature'])).toEqual(Array(4).fill('one and the same'));
    expect(retries).toBe(3);
  });

  it('sends the same body again', async () => {
    replies = [hangsUp, answers];
    expect((await patient(url, { ...paid, method: 'POST', body: '{"domains":[]}' })).status).toBe(200);
    expect(received.map(({ headers }) => headers['content-length'])).toEqual(['14', '14']);
  });

  it.each([
    [402, 'insufficient_funds'],
    [409, 'payment_used_for_another_request'],
    [503, 'facilitator_unavailable'],
    [504, 'probe_timeout'],
  ])('returns %i %s as the response', async (status, code) => {
    replies = [says(status, code)];
    expect(await (await patient(url, paid)).json()).toMatchObject({ code });
    expect(received).toHaveLength(1);
  });

  it('gives up after the last try, with the last response', async () => {
    replies = Array.from({ length: 9 }, () => says(503, 'settlement_unknown'));
    expect((await patient(url, paid)).status).toBe(503);
    expect(received).toHaveLength(4);
    replies = Array.from({ length: 9 }, () => hangsUp);
    await expect(patient(url, paid)).rejects.toThrow('fetch failed');
    expect(received).toHaveLength(8);
  });

  it('sends a request without payment once', async () => {
    replies = [hangsUp];
    await expect(patient(url, { method: 'POST', body: '{}' })).rejects.toThrow('fetch failed');
    expect(received).toHaveLength(1);
  });
});
