import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { ContractWallets } from './contract-wallets';
import { isTextOfContract } from './text-signatures';

const WALLET = '0x1111111111111111111111111111111111111111';
const HASH = `0x${'22'.repeat(32)}`;
const DEPLOYED = `0x${'33'.repeat(65)}`;
/** Ends with the mark of a wallet that is not deployed yet (EIP-6492). */
const NOT_DEPLOYED = `0x${'33'.repeat(65)}${'6492'.repeat(16)}`;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly [{ readonly gas?: string }, string];
}

describe('what a contract may cost that is asked whether it signed', () => {
  const calls: Call[] = [];
  let node: Server;
  let url: string;
  let stands = false;
  let deployed = true;

  beforeAll(async () => {
    node = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const call = JSON.parse(Buffer.concat(parts).toString()) as Call;
        calls.push(call);
        if (stands) return;
        const result = call.method === 'eth_getCode' ? (deployed ? '0x60' : '0x') : `0x1626ba7e${'0'.repeat(56)}`;
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
  ])('is 3 million gas, for the signature %s', async (_, signature, accepted) => {
    expect(await new ContractWallets([url]).accepts(WALLET, HASH, signature)).toBe(accepted);
    const asked = calls.filter(({ method }) => method === 'eth_call');
    expect(asked.map(({ params: [{ gas }] }) => Number(gas))).toEqual([3_000_000]);
  });

  it('is asked about a text at a finalized block alone, and of a wallet that is deployed', async () => {
    const rest = fc.stringMatching(/^[0-9a-f]{2,200}$/);
    await fc.assert(
      fc.asyncProperty(fc.string(), rest, async (text, hex) => {
        calls.splice(0);
        const signature = `0x${hex.length % 2 === 0 ? hex : `${hex}0`}`;
        expect(await isTextOfContract({ text, wallet: WALLET, signature }, [url])).toBe(true);
        expect(calls.map(({ method, params: [, block] }) => [method, block])).toEqual([
          ['eth_getCode', 'finalized'],
          ['eth_call', 'finalized'],
        ]);
        deployed = false;
        expect(await isTextOfContract({ text, wallet: WALLET, signature: NOT_DEPLOYED }, [url])).toBe(false);
        deployed = true;
      }),
      { numRuns: 10 },
    );
  });

  it.each([DEPLOYED, NOT_DEPLOYED])(
    'is a wait that ends by itself where the node stands still, %#',
    async (signature) => {
      stands = true;
      await expect(new ContractWallets([url]).accepts(WALLET, HASH, signature)).rejects.toThrow('took too long');
      expect(calls).toHaveLength(1);
    },
    60_000,
  );
});
