import { request as ask } from 'node:http';
import type { Route } from './test-host';

/** A route that forwards to a server on loopback, like a TLS-terminating proxy. */
export function forwardsTo(port: () => number): Route {
  return (request, response) => {
    const { method, url, headers } = request;
    const forwarded = ask({ host: '127.0.0.1', port: port(), method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  };
}
