import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, type KeyAndCertificate } from './certificates';

async function answerOf(server: KeyAndCertificate, ca: string, servername: string): Promise<string> {
  const listener = createServer(server, (_, response) => response.end('hello'));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  try {
    return await new Promise<string>((resolve, reject) => {
      get({ host: '127.0.0.1', port, servername, ca, headers: { host: servername }, agent: false }, (response) => {
        response.setEncoding('utf8').on('data', resolve);
      }).on('error', reject);
    });
  } finally {
    listener.close();
  }
}

describe('createAuthority', () => {
  it('issues a certificate that a client trusting the authority accepts for its names', async () => {
    const authority = await createAuthority('a demo authority');
    const server = await authority.issue(['shop.example.com', 'api.example.com']);
    await expect(answerOf(server, authority.cert, 'api.example.com')).resolves.toBe('hello');
  });

  it('is not trusted for another name', async () => {
    const authority = await createAuthority('a demo authority');
    const server = await authority.issue(['shop.example.com']);
    await expect(answerOf(server, authority.cert, 'other.example.com')).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('is not trusted by a client that trusts another authority', async () => {
    const [authority, unknown] = await Promise.all([createAuthority('one'), createAuthority('two')]);
    const server = await authority.issue(['shop.example.com']);
    await expect(answerOf(server, unknown.cert, 'shop.example.com')).rejects.toMatchObject({
      code: expect.stringMatching(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT/),
    });
  });

  it('issues an expired certificate on request', async () => {
    const authority = await createAuthority('a demo authority');
    const server = await authority.issue(['shop.example.com'], new Date(Date.now() - 1_000));
    await expect(answerOf(server, authority.cert, 'shop.example.com')).rejects.toMatchObject({
      code: 'CERT_HAS_EXPIRED',
    });
  });
});
