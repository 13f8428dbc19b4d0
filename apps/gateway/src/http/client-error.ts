import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { refusalOf } from './refusals';

/** Status of what Node could not take for a request (https://nodejs.org/api/http.html#event-clienterror); 400 for all else. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** Answers what is no HTTP request with `{ error, code }` like any other error, and ends the connection. */
export function answerClientError({ code = '' }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUSES[code] ?? 400;
  const body = JSON.stringify(refusalOf(status));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'access-control-allow-origin: *',
    'cache-control: no-store',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
    socket.destroy();
  });
}
