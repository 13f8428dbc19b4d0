import { execFileSync } from 'node:child_process';
import { loadConfig } from '@app/config';
import { gatewayDocument } from '../gateway.document';
import { installationOf } from '../products/installation';

const CONFIG = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1/none',
  PUBLIC_BASE_URL: 'https://api.hostprobe.net',
  X402_NETWORK: 'eip155:8453',
  X402_PAY_TO: '0x52908400098527886E0F7030069857D2E4169EE7',
  X402_FACILITATOR_URL: 'http://127.0.0.1:1',
});
/** What Redocly and Spectral say of a document, by their recommended rules. */
const faultsOf = (document: object) =>
  JSON.parse(
    execFileSync(process.execPath, ['test/support/lint-openapi.mjs'], { input: JSON.stringify(document) }).toString(),
  ) as readonly string[];

describe('the OpenAPI document, by the recommended rules of Redocly and Spectral', () => {
  it.each([
    ['with payments', installationOf(CONFIG)],
    ['without payments and with a contact', { ...installationOf(CONFIG), terms: null, contact: 'mailto:a@b.example' }],
  ])('has no fault %s', (_, installation) => {
    expect(faultsOf(gatewayDocument(installation))).toEqual([]);
  });

  it('is held by both: each names what is taken away', () => {
    const { info, ...rest } = gatewayDocument(installationOf(CONFIG));
    const faults = faultsOf({ ...rest, info: { ...info, contact: undefined, license: undefined } }).join('\n');
    expect(faults).toMatch(/^redocly info-license/m);
    expect(faults).toMatch(/^spectral info-contact/m);
  });
});
