import { execFileSync } from 'node:child_process';
import { loadConfig } from '@app/config';
import { gatewayDocument } from '../../gateway.document';
import { installationOf } from '../../products/installation';

const CONFIG = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1/none',
  PUBLIC_BASE_URL: 'https://api.hostprobe.net',
  X402_NETWORK: 'eip155:8453',
  X402_PAY_TO: '0x52908400098527886E0F7030069857D2E4169EE7',
  X402_FACILITATOR_URL: 'http://127.0.0.1:1',
});
const INSTALLATION = installationOf(CONFIG);
const { info, ...rest } = gatewayDocument(INSTALLATION);
const DOCUMENTS = [
  gatewayDocument(INSTALLATION),
  gatewayDocument({ ...INSTALLATION, terms: null, contact: 'mailto:a@b.example' }),
  { ...rest, info: { ...info, contact: undefined, license: undefined } },
];

describe('the OpenAPI document under the recommended rules of Redocly and Spectral', () => {
  let found: readonly (readonly string[])[];
  beforeAll(() => {
    const linter = ['test/support/lint-openapi.mjs'];
    const output = execFileSync(process.execPath, linter, { input: JSON.stringify(DOCUMENTS) });
    found = JSON.parse(output.toString()) as typeof found;
  });

  it('has no fault, with payments and without', () => {
    expect(found.slice(0, 2)).toEqual([[], []]);
  });

  it('is checked by both: each reports a removed part', () => {
    expect(found[2]!.join('\n')).toMatch(/^redocly info-license/m);
    expect(found[2]!.join('\n')).toMatch(/^spectral info-contact/m);
  });
});
