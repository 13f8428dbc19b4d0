import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ContractWallets } from './contract-wallets';

const WALLET = '0x1111111111111111111111111111111111111111';
const HASH = `0x${'22'.repeat(32)}`;
const DEPLOYED = `0x${'33'.repeat(65)}`;
/** Ends with the marker of a wallet that is not deployed yet (EIP-6492). */
const NOT_DEPLOYED = `0x${'33'.repeat(65)}${'6492'.repeat(16)}`;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly [{ readonly gas?: string }, string];
}

describe('a contract signature check', () => {
  const calls: Call[] = [];
  let node: Server;
  let url: string;
  let stands = false;

  beforeAll(async () => {
    node = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const call = JSON.parse(Buffer.concat(parts).toString()) as Call;
        calls.push(call);
        if (stands) return;
        const result = call.method === 'eth_getCode' ? '0x60' : `0x1626ba7e${'0'.repeat(56)}`;
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
      });
    }).listen(0, '127.0.0.1');
    await once(node, 'listening');
    url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    node.closeAllConnections();
    node.close();
  });
  beforeEach(() => calls.splice(0));

  it.each([
    ['of a wallet that is deployed', DEPLOYED, true],
    ['of one that is not yet', NOT_DEPLOYED, false],
  ])('is limited to 3 million gas, for the signature %s', async (_, signature, accepted) => {
    expect(await new ContractWallets([url]).accepts(WALLET, HASH, signature)).toBe(accepted);
    const asked = calls.filter(({ method }) => method === 'eth_call');
    expect(asked.map(({ params: [{ gas }] }) => Number(gas))).toEqual([3_000_000]);
  });

  it('times out if the node hangs, for deployed and undeployed wallets', async () => {
    stands = true;
    const asked = [DEPLOYED, NOT_DEPLOYED].map((signature) =>
      expect(new ContractWallets([url]).accepts(WALLET, HASH, signature)).rejects.toThrow('took too long'),
    );
    await Promise.all(asked);
    expect(calls).toHaveLength(2);
  }, 60_000);
});
