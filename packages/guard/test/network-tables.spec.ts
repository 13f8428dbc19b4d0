import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NETWORKS } from '../../../libs/networks/src/index.js';
import { assetKey } from '../src/networks.js';

const FILE = join(__dirname, '../src/network-tables.ts');

/** `npm run fixtures` writes the tables anew. */
function written(): string {
  const names = NETWORKS.flatMap(({ v1Name, caip2 }) => (v1Name ? [[v1Name, `'${caip2}'`] as const] : []));
  const tokens = NETWORKS.flatMap(({ caip2, assets = [] }) =>
    assets.flatMap(({ address, decimals, dollar }) =>
      dollar ? [[assetKey(caip2, address), String(decimals)] as const] : [],
    ),
  );
  const quoted = (key: string) => (/^[a-z]+$/.test(key) ? key : `'${key}'`);
  const table = (name: string, type: string, rows: readonly (readonly [string, string])[]) => [
    `export const ${name}: Readonly<Record<string, ${type}>> = {`,
    ...rows.map(([key, value]) => `  ${quoted(key)}: ${value},`),
    '};',
  ];
  return [
    '// `npm run fixtures` writes this file from the networks of the service.',
    '',
    '/** CAIP-2 ids of the networks that version 1 of x402 names by a word. */',
    ...table('V1_NETWORKS', 'string', names),
    '',
    '/** Decimals of the tokens that are worth a dollar: `network/asset`, hexadecimal addresses in small letters. */',
    ...table('DOLLAR_DECIMALS', 'number', tokens),
    '',
  ].join('\n');
}

describe('the tables of the package', () => {
  it('are those of the service', () => {
    const text = written();
    if (process.env['REFRESH_FIXTURES'] === '1') writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });
});
