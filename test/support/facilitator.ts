import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stack } from './stack';

/** What a sick facilitator does; everything else it passes on to the real one. */
export type FacilitatorFault =
  | 'none'
  | 'verify_500'
  | 'verify_junk'
  | 'verify_refused'
  | 'verify_waved' // says that a payment is good whatever its payer has
  | 'verify_hang'
  | 'settle_500'
  | 'settle_refused'
  | 'settle_hang'
  | 'settle_not_sent' // the connection drops before anything is sent
  | 'settle_landed_then_dropped'
  | 'settle_landed_then_500'
  | 'settle_landed_then_hang'
  | 'settle_pending' // landed, and answered before the receipt was there
  | 'settle_made_up' // says that it settled, in a transaction that there is not
  | 'settle_of_another' // the same, in a transaction that paid somebody else
  | 'settle_wrong_hash' // landed, in another transaction than it says
  | 'settle_landed_then_refused';

/** One call to a facilitator. */
interface FacilitatorCall {
  readonly path: string;
  /** Of the authorization it is about; undefined when it is about none. */
  readonly nonce: string | undefined;
}

/** The real facilitator behind a door that can be made to fail. */
export interface FaultyFacilitator {
  readonly url: string;
  /** What is wrong with it, with every call or with some. */
  fault: FacilitatorFault | ((call: FacilitatorCall) => FacilitatorFault);
  /** Settlements that reached the real facilitator. */
  readonly settlements: () => number;
  /** `Authorization` header of every call, with its path. */
  readonly authorizations: readonly string[];
  close(): Promise<void>;
}

const NO_TRANSACTION = `0x${'00'.repeat(31)}01`;
/** Of the newest settlement that went through any of these. */
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

/** Whether the fault was the answer; nothing reached the chain. */
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
      return true; // the caller waits until it gives up
    default:
      return false;
  }
}

/** Whether the fault was the answer, after the money moved. */
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
