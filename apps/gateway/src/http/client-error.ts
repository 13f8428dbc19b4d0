import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { responseOf, withRequestId } from './error-response';
import type { ErrorCode } from './error-codes';
import { newRequestId } from './request-ids';

/** Codes of what Node could not take for a request (https://nodejs.org/api/http.html#event-clienterror); others are 400. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Answers what is no HTTP request with `{ error, code }` like any other error, and ends the connection. */
export function answerClientError({ code = '' }: { readonly code?: string }, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, CODES[code] ?? 'bad_request');
}

/** Answers on a connection that has no request, and ends it. @param id of what there is of a request */
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
