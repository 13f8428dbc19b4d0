import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { loadConfig } from '@app/config';
import { gatewayDocument } from '../apps/gateway/src/gateway.document';
import { ERROR_CODES } from '../apps/gateway/src/http/error-codes';
import { installationOf } from '../apps/gateway/src/products/installation';

const HEAD = '// Generated: npm run client\n';

/** Of any installation: prices and addresses are in examples, which types do not have. */
const DOCUMENT = gatewayDocument(
  installationOf(
    loadConfig({
      DATABASE_URL: 'postgres://127.0.0.1/none',
      PUBLIC_BASE_URL: 'https://hostprobe.example.com',
      X402_NETWORK: 'eip155:8453',
      X402_PAY_TO: '0x52908400098527886E0F7030069857D2E4169EE7',
      X402_FACILITATOR_URL: 'http://127.0.0.1:1',
    }),
  ),
);

const GENERATOR = 'node_modules/openapi-typescript/bin/cli.js';

function types(): string {
  const options = { input: JSON.stringify(DOCUMENT), encoding: 'utf8' } as const;
  return `${HEAD}${execFileSync(process.execPath, [GENERATOR], options)}`;
}

function codes(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status }]) => `  ${code}: ${status},\n`);
  return `${HEAD}\n/** The HTTP status of each code. */\nexport const STATUS_OF = {\n${rows.join('')}} as const;\n`;
}

describe('what the client is generated from', () => {
  it.each([
    ['openapi.ts', types],
    ['error-codes.ts', codes],
  ])('is the service of this commit: %s', (name, generate) => {
    const file = `packages/client/src/${name}`;
    const text = generate();
    if (process.env['RECORD_CLIENT'] === 'yes') writeFileSync(file, text);
    expect(readFileSync(file, 'utf8') === text ? 'the same' : 'another: npm run client').toBe('the same');
  });
});
