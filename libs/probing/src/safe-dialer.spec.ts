import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { Worker } from 'node:worker_threads';
import type { FailureReason } from '@app/detectors';
import { request } from 'undici';
import { resolverOf } from '../../../test/support/sockets';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { parseConnectTo } from './connect-to';
import { faultIn, ProbeFault } from './failure';
import { PROBE_LIMITS } from './limits';
import { SafeDialer, type DialerOptions } from './safe-dialer';

const RESETTING = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  const server = createServer((socket) => socket.resetAndDestroy());
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

/** A dialer without the checks that normally come before it; it must refuse forbidden names itself. */
function dialer(connectTo = '', ca?: Buffer, other: Partial<DialerOptions> = {}): SafeDialer {
  return new SafeDialer({
    limits: PROBE_LIMITS,
    resolver: resolverOf(['45.33.32.156']),
    connectTo: parseConnectTo(connectTo),
    ownAddresses: new Set(),
    optedOut: (host) => host === 'out.example.com',
    negativeCache: undefined,
    secureContext: createSecureContext({ ca }),
    certificates: false,
    ...other,
  });
}

describe('the dialer alone', () => {
  it.each([
    'https://shop.example.com:8443/',
    'http://shop.example.com:8080/',
    'http://shop.example.com:22/',
    'https://shop.example.com:1/',
    'https://45.33.32.156/',
    'https://[2606:4700::6810:1]/',
    'https://out.example.com/',
  ])('returns no address for %s', async (url) => {
    const one = dialer();
    await expect(one.addressesOf(new URL(url))).rejects.toThrow('address_refused');
    await one.close();
  });

  it.each(['https://shop.example.com/', 'http://shop.example.com/'])(
    'returns the checked addresses of %s',
    async (url) => {
      const one = dialer();
      await expect(one.addressesOf(new URL(url))).resolves.toEqual(['45.33.32.156']);
      await one.close();
    },
  );

  it('uses another port only for a test host', async () => {
    const one = dialer('shop.example.com:8443=127.0.0.1:9');
    await expect(one.addressesOf(new URL('https://shop.example.com:8443/'))).resolves.toEqual(['127.0.0.1']);
    await expect(one.addressesOf(new URL('https://shop.example.com:8444/'))).rejects.toThrow('address_refused');
    await one.close();
  });

  it('resolves a missing name once, and remembers it for other probes', async () => {
    const known = new Map<string, FailureReason>();
    const negativeCache: DialerOptions['negativeCache'] = {
      recall: (host) => Promise.resolve(known.get(host)),
      remember: (host, reason) => Promise.resolve(void known.set(host, reason)),
    };
    const asked: string[] = [];
    const resolve = (host: string) => Promise.reject(new ProbeFault((asked.push(host), 'dns_nxdomain')));
    for (const one of [dialer, dialer].map((make) => make('', undefined, { negativeCache, resolver: { resolve } }))) {
      await expect(one.addressesOf(new URL('https://gone.example.com/'))).rejects.toThrow('dns_nxdomain');
      await one.close();
    }
    expect(asked).toEqual(['gone.example.com']);
    expect([...known]).toEqual([['gone.example.com', 'dns_nxdomain']]);
  });

  it('treats a connection that is reset at once as a failure of the host', async () => {
    // A host in its own thread resets a connection after it is established and before we check the address of its peer.
    const host = new Worker(RESETTING, { eval: true });
    const port = await new Promise((resolve) => host.once('message', resolve));
    const one = dialer(`shop.example.com:443=127.0.0.1:${String(port)}`);
    const reasons = new Set<unknown>();
    for (let turn = 0; turn < 500; turn += 1) {
      const asked = request('https://shop.example.com/', { dispatcher: one.agent });
      reasons.add(await asked.then(String, (error: unknown) => faultIn(error)?.reason));
    }
    await Promise.all([one.close(), host.terminate()]);
    expect([...reasons]).toEqual(['connection_reset']);
  });

  describe('at a host', () => {
    let host: TestHost;
    afterEach(() => host.close());

    it('reads nothing from an address other than the checked one', async () => {
      host = await startTestHost({ '/': says('inside') }, { plain: true });
      // The system connects 0.0.0.0 to this machine; only the socket shows that.
      const [one, meant] = ['0.0.0.0', '127.0.0.1'].map((address) =>
        dialer(`shop.example.com:80=${address}:${host.port}`),
      ) as [SafeDialer, SafeDialer];
      const asked = ({ agent }: SafeDialer) => request('http://shop.example.com/', { dispatcher: agent });
      await expect(asked(one)).rejects.toThrow('address_refused');
      expect(host.requests).toEqual([]);
      expect((await asked(meant)).statusCode).toBe(200);
      await Promise.all([one.close(), meant.close()]);
    });

    it('only offers HTTP/1.1', async () => {
      const offered: string[] = [];
      const tls = {
        ALPNCallback: ({ protocols }: { readonly protocols: readonly string[] }) => (
          offered.push(...protocols),
          protocols[0]
        ),
      };
      host = await startTestHost({ '/': says('1.1') }, { tls });
      const one = dialer(host.as('shop.example.com'), readFileSync(await testCaFile()));
      expect((await request('https://shop.example.com/', { dispatcher: one.agent })).statusCode).toBe(200);
      expect(offered).toEqual(['http/1.1']);
      await one.close();
    });
  });
});
