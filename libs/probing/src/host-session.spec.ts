import type { Exchange } from '@app/detectors';
import fc from 'fast-check';
import { get, hostName } from '../../../test/support/probing';
import { HostSession } from './host-session';
import { PROBE_LIMITS } from './limits';

/** A session with shop.example.com without a network, and the URLs of its requests. */
function session() {
  const sent: string[] = [];
  const exchange = ({ url, maySend }: { readonly url: URL; readonly maySend: () => boolean }): Promise<Exchange> => {
    if (maySend()) sent.push(url.href);
    return Promise.resolve({ kind: 'failure', reason: 'connect_refused', url: url.href } as Exchange);
  };
  const session = new HostSession(hostName(), { exchange }, PROBE_LIMITS, new AbortController().signal);
  return { sent, send: (url: string) => session.send(get(url), 'presence') };
}

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);

describe('a session with a host', () => {
  it('sends requests to the host and to other names of its site', async () => {
    for (const url of ['/a', 'https://example.com/b', 'https://www.example.com/c']) {
      const { sent, send } = session();
      await send(url);
      expect(sent).toEqual([new URL(url, 'https://shop.example.com').href]);
    }
  });

  it('sends nothing to another site, for any spelling of its name', async () => {
    await fc.assert(
      fc.asyncProperty(
        label,
        fc.constantFrom(
          (name: string) => `https://${name}.test-merchant.com/`,
          (name: string) => `https://shop.example.com.${name}.org/`,
          (name: string) => `https://${name}-example.com/`,
          (name: string) => `//${name}.example.net/x`,
          (name: string) => `\\\\${name}.example.org\\x`,
          (name: string) => `HTTPS://${name}.example.co.uk/`,
          (name: string) => `https://shop.example.com@${name}.example.net/`,
        ),
        async (name, spelled) => {
          const { sent, send } = session();
          expect(await send(spelled(name))).toBeUndefined();
          expect(sent).toEqual([]);
        },
      ),
    );
  });
});
