import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command as Program } from 'commander';
import { load } from 'js-yaml';
import { loadConfig } from '@app/config';
import { DETECTORS, RULES } from '@app/detectors';
import { NETWORKS } from '@app/networks';
import { CommandError } from '../../apps/cli/src/terminal/exit-codes';
import { programOf, readCommand } from '../../apps/cli/src/terminal/command-line';
import { DOCUMENTS } from '../../apps/gateway/src/discovery/discovery-routes';
import { gatewayDocument } from '../../apps/gateway/src/gateway.document';
import { ERROR_CODES } from '../../apps/gateway/src/http/error-codes';
import { listedTool, TOOLS } from '../../apps/gateway/src/mcp/tools';
import { layout } from '../../apps/gateway/src/pages/page-registry';
import { installationOf } from '../../apps/gateway/src/products/installation';
import { hostPage } from '../../apps/gateway/src/pages/host/host-page';
import { reportMarkdown } from '../../apps/gateway/src/reports/report-markdown';
import { assetKey } from '../../packages/guard/src/networks';
import {
  BASE,
  FIXTURES,
  fixtureFiles,
  fixtureNames,
  readingOf,
  reportOf,
  type FixtureHost,
} from '../support/fixture-host';
import { registries } from '../support/registries';
import { verifyVectors } from '../support/verify-vectors';
import { examples } from './examples';
import { WRONG_COMMAND_LINES } from './wrong-command-lines';

/** The hosts whose pages are compared. */
const SHOWN = [
  'full-store',
  'agent-of-two-generations',
  'forbidden-for-missing',
  'one-page-for-everything',
  'wallet-sign-in-wall',
];

export const INSTALLATION = installationOf(
  loadConfig({
    DATABASE_URL: 'postgres://127.0.0.1/none',
    PUBLIC_BASE_URL: 'https://hostprobe.example.com',
    X402_NETWORK: 'eip155:8453',
    X402_PAY_TO: '0x52908400098527886E0F7030069857D2E4169EE7',
    X402_FACILITATOR_URL: 'http://127.0.0.1:1',
  }),
);

const HEAD = '`npm run oracle -- --write` writes this file.';

/** Every file of expected bytes, and the function that makes it. */
export const FILES: Readonly<Record<string, () => string | Promise<string>>> = {
  'test/oracle/openapi.json': () => pretty(gatewayDocument(INSTALLATION)),
  'test/oracle/mcp-tools.json': () => pretty(TOOLS.map((tool) => listedTool(tool, INSTALLATION))),
  'test/oracle/error-codes.json': () => pretty(ERROR_CODES),
  'test/oracle/command-line.txt': commandLine,
  'test/oracle/metrics.txt': metrics,
  'test/oracle/alerts.txt': alerts,
  'docs/protocols.md': protocols,
  'docs/examples.md': () => examples(gatewayDocument(INSTALLATION), INSTALLATION.baseUrl),
  'docs/verify/vectors.json': () => pretty(verifyVectors()),
  'packages/client/src/error-codes.ts': clientErrorCodes,
  'packages/guard/src/network-tables.ts': networkTables,
  ...Object.fromEntries(
    DOCUMENTS.map(({ path, make }) => [`test/oracle/published${path}`, () => String(make(INSTALLATION).body)]),
  ),
  ...Object.fromEntries(
    fixtureNames().map((name) => [`test/oracle/reports/${name}.json`, async () => pretty(await factsOf(name))]),
  ),
  ...Object.fromEntries(
    SHOWN.flatMap((name) => [
      [`test/oracle/pages/${name}.html`, () => page(name)],
      [`test/oracle/pages/${name}.md`, async () => reportMarkdown(readingOf(await factsOf(name), name), BASE)],
    ]),
  ),
};

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function factsOf(name: string) {
  const { host } = (await import(join(FIXTURES, name, 'host.ts'))) as { host: FixtureHost };
  return reportOf(host, fixtureFiles(name));
}

/** The page of a host, without the styles that all pages share. */
async function page(name: string): Promise<string> {
  const reading = readingOf(await factsOf(name), name);
  const text = layout(hostPage({ ...reading, baseUrl: BASE, contact: null, freeProbes: true }));
  return text.replace(/<style>.*?<\/style>/s, '<style></style>');
}

/** The help, and the errors for invalid command lines. */
function commandLine(): string {
  const refused = WRONG_COMMAND_LINES.map((args) => {
    try {
      readCommand(args);
      return `$ hostprobe ${args.join(' ')}\ntaken`;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return `$ hostprobe ${args.join(' ')}\n${error.code}: ${error.message}`;
    }
  });
  const helpOf = (command: Program): readonly string[] => [
    command.helpInformation().trimEnd(),
    ...command.commands.flatMap(helpOf),
  ];
  return `${[
    ...helpOf(
      programOf(
        () => undefined,
        () => undefined,
      ),
    ),
    ...refused,
  ].join('\n\n')}\n`;
}

/** The names, types and labels of the metrics that gateway and worker collect. */
function metrics(): string {
  const families = registries().flatMap((registry) => registry.getMetricsAsArray());
  const own = families.filter(({ name }) => name.startsWith('hostprobe_')) as unknown as readonly {
    readonly name: string;
    readonly help: string;
    readonly labelNames?: readonly string[];
  }[];
  return `${own.map(({ name, help, labelNames = [] }) => `${name}{${labelNames.join()}} ${help}`).join('\n')}\n`;
}

function alerts(): string {
  const { groups } = load(readFileSync('docs/operations/alerts.yml', 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  };
  return groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => `${alert}: ${expr.trim()}\n`)).join('');
}

function protocols(): string {
  return [
    '# Protocols',
    '',
    `The rule set of this release is \`${RULES.version}\` ([behaviour 14.2](behaviour/requests.md#142-rules)). Each detector judges by one`,
    `release of the specification of its protocol. ${HEAD.replace('file', 'page')}`,
    '',
    ...DETECTORS.map(
      ({ id, name, spec, rules }) =>
        `- \`${id}\`, ${name.long}: release [${rules.release}](${spec}), compared with it on ${rules.checked}`,
    ),
    '',
  ].join('\n');
}

function clientErrorCodes(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status }]) => `  ${code}: ${status},\n`);
  return `// ${HEAD}\n\n/** The HTTP status of each code. */\nexport const STATUS_OF = {\n${rows.join('')}} as const;\n`;
}

function networkTables(): string {
  const names = NETWORKS.flatMap(({ v1Name, caip2 }) => (v1Name ? [[v1Name, `'${caip2}'`] as const] : []));
  const tokens = NETWORKS.flatMap(({ caip2, assets = [] }) =>
    assets.flatMap(({ address, decimals, dollar }) =>
      dollar ? [[assetKey(caip2, address), String(decimals)] as const] : [],
    ),
  );
  const quoted = (key: string): string => (/^[a-z]+$/.test(key) ? key : `'${key}'`);
  const table = (name: string, type: string, rows: readonly (readonly [string, string])[]): readonly string[] => [
    `export const ${name}: Readonly<Record<string, ${type}>> = {`,
    ...rows.map(([key, value]) => `  ${quoted(key)}: ${value},`),
    '};',
  ];
  return [
    `// ${HEAD}`,
    '',
    '/** CAIP-2 ids of the network names in x402 version 1. */',
    ...table('V1_NETWORKS', 'string', names),
    '',
    '/** Decimals of dollar tokens by `network/asset`, with hexadecimal addresses in lower case. */',
    ...table('DOLLAR_DECIMALS', 'number', tokens),
    '',
  ].join('\n');
}
