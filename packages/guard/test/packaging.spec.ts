import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generatePrivateKey } from 'viem/accounts';
import { installedPackage, npm, runIn } from '../../../test/support/installed-package.js';
import { REFUSALS } from '../src/payment-refused.js';
import { EVIL, openIssuer, openShop, type Issuer, type Shop } from './world.js';

const PACKAGE = resolve('packages/guard');
const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8');

let folder: string;
let shop: Shop;
let issuer: Issuer;

/** Packs the package and installs it into an empty folder, then adds the clients that the example uses. */
beforeAll(async () => {
  [shop, issuer] = await Promise.all([openShop(), openIssuer()]);
  issuer.statement = () => issuer.states(shop.origin);
  folder = installedPackage(PACKAGE);
  for (const name of ['@x402', 'viem']) symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
});
afterAll(() => {
  shop.close();
  issuer.close();
});

const run = (name: string, source: string): Promise<string> => runIn(folder, name, source);

describe('the packed package', () => {
  const use = "console.log(typeof guard({ issuer: 'https://hostprobe.example', maxUsd: 1 }).hook);";

  it('has no dependencies and only built files', () => {
    const installed = JSON.parse(
      readFileSync(join(folder, 'node_modules/@hostprobe/guard/package.json'), 'utf8'),
    ) as object;
    expect(installed).not.toHaveProperty('dependencies');
    expect(npm(PACKAGE, 'pack', '--dry-run', '--json', '--ignore-scripts')).not.toMatch(/"path": "(?:src|test)\//);
  });

  it('works with import and with require', async () => {
    expect(await run('a.mjs', `import { guard } from '@hostprobe/guard'; ${use}`)).toBe('function');
    expect(await run('b.cjs', `const { guard } = require('@hostprobe/guard'); ${use}`)).toBe('function');
  });

  it('recognizes a refused payment of its other copy', async () => {
    const source = `import { isPaymentRefused, PaymentRefused } from '@hostprobe/guard';
      import { createRequire } from 'node:module';
      const other = new (createRequire(import.meta.url)('@hostprobe/guard').PaymentRefused)('above_limit');
      console.log(other instanceof PaymentRefused, isPaymentRefused(other));`;
    expect(await run('c.mjs', source)).toBe('false true');
  });

  it('runs the example of its README', async () => {
    const example = /```js\n(.*?)```/s.exec(README)?.[1] ?? '';
    const call = `import { privateKeyToAccount } from 'viem/accounts';
      const pay = payingFetch('${issuer.url}', privateKeyToAccount('${generatePrivateKey()}'));
      console.log(await quote(pay, '${shop.origin}/v1/quote'));`;
    expect(await run('d.mjs', `${example}\n${call}`)).toBe('{"ok":true}');
    shop.served = { requirement: { payTo: EVIL } };
    expect(await run('e.mjs', `${example}\n${call}`)).toBe('not paid: pay_to_differs');
  });
});

describe('the README', () => {
  it('explains every code with its sentence', () => {
    const rows = [...README.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)].map(([, code, sentence]) => [code, sentence]);
    const codes = Object.entries(REFUSALS);
    expect(rows.slice(-codes.length)).toEqual(codes);
  });
});
