import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stack } from './stack';

/** Faults of a facilitator; otherwise calls are passed on to the real one. */
export type FacilitatorFault =
  | 'none'
  | 'verify_500'
  | 'verify_junk'
  | 'verify_refused'
  | 'verify_waved' // reports every payment as valid
  | 'verify_hang'
  | 'settle_500'
  | 'settle_refused'
  | 'settle_hang'
  | 'settle_not_sent' // The connection drops before anything is sent.
  | 'settle_landed_then_dropped'
  | 'settle_landed_then_500'
  | 'settle_landed_then_hang'
  | 'settle_pending' // settled, but answered before there was a receipt
  | 'settle_made_up' // reports a settlement in a nonexistent transaction
  | 'settle_of_another' // reports a settlement in a transaction that paid somebody else
  | 'settle_wrong_hash' // settled, but in another transaction than reported
  | 'settle_landed_then_refused';

/** One call to a facilitator. */
interface FacilitatorCall {
  readonly path: string;
  /** The nonce of its authorization; undefined without one. */
  readonly nonce: string | undefined;
}

/** A proxy for the real facilitator that can be made to fail. */
export interface FaultyFacilitator {
  readonly url: string;
  /** Its fault, for all calls or depending on the call. */
  fault: FacilitatorFault | ((call: FacilitatorCall) => FacilitatorFault);
  /** The number of settlements that reached the real facilitator. */
  readonly settlements: () => number;
  /** The `Authorization` header of every call, with its path. */
  readonly authorizations: readonly string[];
  close(): Promise<void>;
}

const NO_TRANSACTION = `0x${'00'.repeat(31)}01`;
/** The newest settlement through any of these. */
let lastSettled = NO_TRANSACTION;

const JSON_TYPE = { 'content-type': 'application/json' };

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
    const [path, sent] = [request.url ?? '', Buffer.concat(chunks).toString('utf8')];
    authorizations.push(`${path} ${request.headers.authorization ?? ''}`);
    const nonce = /"nonce":"(0x[0-9a-fA-F]{64})"/.exec(sent)?.[1]?.toLowerCase();
    const fault = typeof self.fault === 'function' ? self.fault({ path, nonce }) : self.fault;
    if (fault.startsWith(path.slice(1)) && failAtOnce(fault, response)) return;
    if (path === '/settle') settlements += 1;
    const upstream = await fetch(`${stack().facilitatorUrl}${path}`, {
      method: request.method ?? 'GET',
      ...(request.method === 'POST' ? { body: sent, headers: JSON_TYPE } : {}),
    });
    const body = await upstream.text();
    lastSettled = /"transaction":"(0x[0-9a-f]{64})"/.exec(body)?.[1] ?? lastSettled;
    if (path === '/settle' && failAfterwards(fault, response)) return;
    response.writeHead(upstream.status, JSON_TYPE).end(body);
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return Object.assign(self, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** Whether the fault itself is the answer, so that nothing reaches the chain. */
function failAtOnce(fault: FacilitatorFault, response: ServerResponse): boolean {
  switch (fault) {
    case 'verify_500':
    case 'settle_500':
      response.writeHead(500).end('<h1>secret stack</h1>');
      return true;
    case 'verify_junk':
      response.writeHead(200).end('"ok"');
      return true;
    case 'verify_refused':
      response.writeHead(200, JSON_TYPE).end('{"isValid":false,"invalidReason":"insufficient_funds"}');
      return true;
    case 'verify_waved':
      response.writeHead(200, JSON_TYPE).end('{"isValid":true}');
      return true;
    case 'settle_refused':
      response.writeHead(200, JSON_TYPE).end(unsettled('insufficient_funds'));
      return true;
    case 'settle_not_sent':
      response.destroy();
      return true;
    case 'settle_made_up':
      response.writeHead(200, JSON_TYPE).end(settled(NO_TRANSACTION));
      return true;
    case 'settle_of_another':
      response.writeHead(200, JSON_TYPE).end(settled(lastSettled));
      return true;
    case 'verify_hang':
    case 'settle_hang':
      return true; // the caller waits until its timeout
    default:
      return false;
  }
}

/** Whether the fault itself is the answer, after the money moved. */
function failAfterwards(fault: FacilitatorFault, response: ServerResponse): boolean {
  switch (fault) {
    case 'settle_landed_then_dropped':
      response.destroy();
      return true;
    case 'settle_landed_then_500':
      response.writeHead(500).end('<h1>secret stack</h1>');
      return true;
    case 'settle_pending':
      response.writeHead(200, JSON_TYPE).end(unsettled('settlement_pending'));
      return true;
    case 'settle_wrong_hash':
      response.writeHead(200, JSON_TYPE).end(settled(NO_TRANSACTION));
      return true;
    case 'settle_landed_then_refused':
      response.writeHead(200, JSON_TYPE).end(unsettled('insufficient_funds'));
      return true;
    case 'settle_landed_then_hang':
      return true;
    default:
      return false;
  }
}

function unsettled(errorReason: string): string {
  return JSON.stringify({ success: false, errorReason, transaction: '', network: 'eip155:8453' });
}

function settled(transaction: string): string {
  return JSON.stringify({ success: true, transaction, network: 'eip155:8453' });
}
