const { readdirSync } = require('node:fs');

/** Which folder may import which; the table and its reasons are in docs/architecture.md. */
const only = (from, allowed) => ({
  name: `${from}-imports`,
  severity: 'error',
  comment: `libs/${from} may import ${allowed.length ? allowed.join(', ') : 'no other library'}`,
  from: { path: `^libs/${from}/` },
  to: {
    path: '^libs/',
    pathNot: [`^libs/${from}/`, '^libs/(platform|networks)/', ...allowed.map((name) => `^libs/${name}/`)],
  },
});

/** The gateway's floors, lowest first: an import goes down, or stays in its folder. docs/architecture.md says what is where. */
const GATEWAY = 'apps/gateway/src';
const FLOORS = [
  ['http'],
  ['routes'],
  ['platform'],
  ['probing-client', 'checkout'],
  ['reports', 'owners'],
  ['statements'],
  ['products'],
  ['mcp', 'discovery', 'pages'],
];
const homeless = readdirSync(GATEWAY, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !FLOORS.flat().includes(entry.name))
  .map(({ name }) => name);
if (FLOORS.length > 8 || FLOORS.flat().length > 12) throw new Error(`${GATEWAY}: more than 8 floors or 12 rooms`);
if (homeless.length > 0) throw new Error(`${GATEWAY}: on no floor: ${homeless.join(', ')}`);
const floors = FLOORS.flatMap((folders, floor) =>
  folders.map((folder) => {
    const below = [folder, ...FLOORS.slice(0, floor).flat()].join('|');
    return {
      name: `gateway-floor-of-${folder}`,
      severity: 'error',
      comment: `${GATEWAY}/${folder} is on floor ${floor} and imports what is below it, or itself`,
      from: { path: `^${GATEWAY}/${folder}/` },
      to: { path: `^${GATEWAY}/`, pathNot: `^${GATEWAY}/(${below})/` },
    };
  }),
);

/** What the command line knows of a service without a wallet. */
const FREE = '(answers|service-answer|service-url|retrying-fetch)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-circle-of-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } },
    {
      name: 'nothing-from-the-top',
      severity: 'error',
      comment: 'the files in src compose what is in the folders below, which import nothing of theirs',
      from: { path: '^(apps|libs)/([^/]+)/src/[^/]+/' },
      to: { path: '^$1/$2/src/[^/]+$' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment:
        'detectors, hosts and reports judge evidence by the table of networks: no sockets, files, clocks or framework. Pure libraries are named here.',
      from: { path: '^libs/(detectors|hosts|reports|networks)/' },
      to: {
        pathNot: [
          '^libs/',
          '^(node:)?(url|crypto)$',
          'node_modules/(tldts|tldts-core|js-yaml|zod|@noble/(curves|hashes)|@scure/(base|bip39))/',
          '^structured-headers$', // has no entry that the cruiser resolves
        ],
      },
    },
    {
      name: 'libs-not-to-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-apart',
      severity: 'error',
      from: { path: '^apps/([^/]+)/src' },
      to: { path: '^apps/([^/]+)', pathNot: '^apps/$1' },
    },
    {
      name: 'lib-entry-only',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/', pathNot: ['^libs/$2/', '^libs/[^/]+/src/index\\.ts$'] },
    },
    {
      name: 'gateway-never-probes',
      severity: 'error',
      comment: 'only the worker talks to hosts that strangers name',
      from: { path: '^apps/gateway/src' },
      to: { path: '^libs/probing/' },
    },
    {
      name: 'worker-never-charges',
      severity: 'error',
      from: { path: '^apps/worker/src' },
      to: { path: '^libs/payments/' },
    },
    {
      name: 'cli-probes-without-money',
      severity: 'error',
      comment:
        'a probe from the command line and the tools of an agent need no wallet, ledger, database or server; folders of their own do',
      from: { path: ['^apps/cli/src/((terminal|mcp)/)?[^/]+$', `^apps/cli/src/service/${FREE}`] },
      to: {
        path: ['^libs/(payments|queue|storage)/', 'node_modules/(@nestjs|fastify|bullmq|viem|@x402|pg|@prisma)/'],
      },
    },
    {
      name: 'cli-loads-money-when-needed',
      severity: 'error',
      comment: 'and its folders that do are loaded by the commands that use them, by import()',
      from: { path: '^apps/cli/src/((terminal|mcp)/)?[^/]+$' },
      to: {
        path: '^apps/cli/src/(operator|service)/',
        pathNot: `^apps/cli/src/service/${FREE}`,
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'packages-stand-alone',
      severity: 'error',
      comment:
        'a package is installed by itself: it imports its own files, what Node.js has, and what its package.json names',
      from: { path: '^packages/([^/]+)/src' },
      to: { pathNot: ['^packages/$1/src', '^(node:)?async_hooks$', 'node_modules/openapi-fetch/'] },
    },
    ...floors,
    only('networks', []),
    only('detectors', []),
    only('payments', []),
    only('config', []),
    only('platform', []),
    only('limits', []),
    only('hosts', ['detectors']),
    only('reports', ['detectors', 'hosts']),
    only('evidence', ['detectors', 'hosts', 'reports']),
    only('census', ['detectors', 'hosts', 'reports']),
    only('probing', ['detectors', 'hosts']),
    only('signing', ['detectors', 'hosts', 'reports']),
    only('owners', ['hosts', 'reports']),
    only('queue', ['detectors', 'hosts', 'limits', 'reports']),
    only('storage', ['detectors', 'evidence', 'hosts', 'reports', 'payments', 'owners']),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(generated|\\.spec\\.ts$|/test/)' },
  },
};
