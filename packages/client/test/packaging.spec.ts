import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { installedPackage, runIn } from '../../../test/support/installed-package.js';

const PACKAGE = resolve('packages/client');
const NEEDS = ['openapi-fetch', 'openapi-typescript-helpers'];

describe('the packed client', () => {
  let server: Server;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    server = createServer(({ url: path }, response) => {
      response.writeHead(path === '/api/v1/hosts/a.example' ? 200 : 404).end('{"paymentRails":{"payable":true}}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    folder = installedPackage(PACKAGE, NEEDS);
  });
  afterAll(() => server.close());

  it('has one dependency, in the tested version', () => {
    const { dependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Record<string, object>;
    const own = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
    expect(dependencies).toEqual({ 'openapi-fetch': own.dependencies['openapi-fetch'] });
  });

  it('works with import and with require', async () => {
    const use = `hostprobe({ url: '${url}' }).GET('/health/live').then(({ error }) => console.log(error.code));`;
    expect(await runIn(folder, 'a.mjs', `import { hostprobe } from '@hostprobe/client'; ${use}`)).toBe('not_hostprobe');
    const required = `const { hostprobe } = require('@hostprobe/client'); ${use}`;
    expect(await runIn(folder, 'b.cjs', required)).toBe('not_hostprobe');
  });

  it('runs the example of its README', async () => {
    const example = /```js\n(.*?)```/s.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8'))?.[1] ?? '';
    const call = (domain: string) => `${example}\nconsole.log(await canPay('${url}', '${domain}'));`;
    expect(await runIn(folder, 'c.mjs', call('a.example'))).toBe('true');
    expect(await runIn(folder, 'd.mjs', call('b.example'))).toBe(
      'not_hostprobe: the server at this address is not a hostprobe service',
    );
  });
});
