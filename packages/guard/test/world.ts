import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StatedRail } from '../src/verify-statement.js';

export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const HONEST = '0x5380e3F137C0c5F244a66672D1126fE32BB862eC';
export const EVIL = '0x2222222222222222222222222222222222222222';
export const PRICE = 20_000n;

/** Generates an issuer key; the public half has the published form. */
export function drawnKey(kid = 'key-1') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { kty, crv, x } = publicKey.export({ format: 'jwk' }) as { kty: string; crv: string; x: string };
  return { privateKey, listed: { kid, kty, crv, x, use: 'sig' } };
}

export function signedWith(key: KeyObject, claims: object, header: object = {}): string {
  const parts = [{ alg: 'EdDSA', typ: 'hostprobe-report+jwt', kid: 'key-1', ...header }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return `${parts.join('.')}.${sign(null, Buffer.from(parts.join('.')), key).toString('base64url')}`;
}

export function railOf(origin: string, more: Partial<StatedRail> = {}): StatedRail {
  const terms = { p: 'x402', n: 'eip155:8453', a: USDC, to: HONEST, amt: `${PRICE}` };
  return { ...terms, r: `${origin}/v1/quote`, m: 'GET', s: 'exact', ...more };
}

/** The shop's response to a request without a payment. */
export interface Served {
  readonly version?: 1 | 2;
  readonly requirement?: Readonly<Record<string, unknown>>;
  readonly resource?: string;
  readonly redirect?: string;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listening(handler: Handler): Promise<Server> {
  const server = createServer(handler);
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A shop on this machine; `paid` lists the payments that reached it. */
export async function openShop() {
  const shop = { served: {} as Served, paid: [] as string[], origin: '', close: () => {} };
  const server = await listening((request, response) => {
    const payment = request.headers['payment-signature'] ?? request.headers['x-payment'];
    if (payment !== undefined) {
      shop.paid.push(String(payment));
      response.end('{"ok":true}');
    } else if (shop.served.redirect !== undefined) response.writeHead(302, { location: shop.served.redirect }).end();
    else challenge(shop.served, `${shop.origin}${request.url ?? ''}`, response);
  });
  shop.origin = `http://localhost:${portOf(server)}`;
  shop.close = () => server.close();
  return shop;
}

function challenge({ version = 2, requirement, resource }: Served, url: string, response: ServerResponse): void {
  const terms = { scheme: 'exact', network: 'eip155:8453', amount: `${PRICE}`, asset: USDC, payTo: HONEST };
  const one = { ...terms, maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' }, ...requirement };
  const { amount, network, ...rest } = one;
  const first = {
    ...rest,
    network: network === 'eip155:8453' ? 'base' : network,
    maxAmountRequired: amount,
    resource: resource ?? url,
    description: '',
    mimeType: '',
    outputSchema: {},
  };
  if (version === 1) {
    response.writeHead(402, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ x402Version: 1, error: '', accepts: [first] }));
    return;
  }
  const required = {
    x402Version: 2,
    resource: { url: resource ?? url, description: '', mimeType: '' },
    accepts: [one],
  };
  response.writeHead(402, { 'payment-required': Buffer.from(JSON.stringify(required)).toString('base64') }).end('{}');
}

/** The issuer's response to a request for the statement about a host: undefined is 404, `slow` means no response. */
type Stated = (hostname: string) => string | undefined;

/** A service on this machine that signs statements; `asked` lists the paths of its requests. */
export async function openIssuer() {
  const key = drawnKey();
  const issuer = {
    key,
    url: '',
    asked: [] as string[],
    statement: (() => undefined) as Stated,
    files: {} as Record<string, string>,
    revoked: [] as { readonly kid: string }[],
    close: () => {},
    /** A statement about an origin, valid for 15 minutes unless the members or header override it. */
    states: (origin: string, claims: object = {}, header: object = {}, by = key): string => {
      const iat = Math.floor(Date.now() / 1_000) - 5;
      const said = {
        iss: issuer.url,
        sub: origin,
        iat,
        exp: iat + 900,
        jti: '1',
        outcome: 'probed',
        rails: [railOf(origin)],
      };
      return signedWith(by.privateKey, { ...said, ...claims }, header);
    },
  };
  const server = await listening((request, response) => {
    const path = request.url ?? '';
    issuer.asked.push(path);
    const host = /^\/api\/v1\/hosts\/([^/]+)\/statement$/.exec(path)?.[1];
    const keys =
      path === '/.well-known/hostprobe-keys.json'
        ? JSON.stringify({ keys: [key.listed], revoked: issuer.revoked })
        : undefined;
    const body = host === undefined ? (keys ?? issuer.files[path]) : issuer.statement(host);
    if (body === 'slow') return;
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  issuer.url = `http://localhost:${portOf(server)}`;
  issuer.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return issuer;
}

export type Shop = Awaited<ReturnType<typeof openShop>>;
export type Issuer = Awaited<ReturnType<typeof openIssuer>>;
