import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { responseOf, withRequestId } from './error-response';
import type { ErrorCode } from './error-codes';
import { newRequestId } from './request-ids';

/** Our codes for Node's parser errors (https://nodejs.org/api/http.html#event-clienterror); all others are a 400. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Answers input that is not an HTTP request with `{ error, code }` like any other error, and closes the connection. */
export function answerClientError({ code = '' }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, CODES[code] ?? 'bad_request');
}

/** Answers on a connection that has no request, and closes it. @param id the request id, if there is one */
export function refuseSocket(socket: Socket, code: ErrorCode, id = newRequestId()): void {
  const { status, body } = withRequestId(responseOf(code), id);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'access-control-allow-origin: *',
    'cache-control: no-store',
    `request-id: ${id}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => {
    socket.destroy();
  });
}
