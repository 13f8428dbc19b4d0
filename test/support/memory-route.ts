import { text } from 'node:stream/consumers';
import type { MemoryReply, MemoryRequest } from './memory-host';
import type { Route } from './test-host';

/** Serves a host that is a function through a socket. */
export function routeOf(answer: (request: MemoryRequest) => MemoryReply): Route {
  return (request, response) => {
    void text(request).then((body) => {
      const { method = 'GET', url = '/', headers } = request;
      const reply = answer({
        method: method === 'POST' ? 'POST' : 'GET',
        url: new URL(url, `https://${headers.host ?? ''}`),
        ...(body !== '' && { body }),
      });
      const lines = Object.entries(reply.headers ?? {}).map(([name, value]) => [name, [value].flat()] as const);
      const { location } = reply;
      response.writeHead(reply.status ?? 200, {
        ...Object.fromEntries(lines),
        ...(location !== undefined && { location }),
      });
      response.end(reply.body ?? '');
    });
  };
}
