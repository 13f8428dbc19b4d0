/** Who may import whom; the table and its reasons are in docs/architecture.md. */
const only = (from, allowed) => ({
  name: `${from}-imports`,
  severity: 'error',
  comment: `libs/${from} may import ${allowed.length ? allowed.join(', ') : 'no other library'}`,
  from: { path: `^libs/${from}/` },
  to: { path: '^libs/', pathNot: [`^libs/${from}/`, ...allowed.map((name) => `^libs/${name}/`)] },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'domain-is-pure',
      severity: 'error',
      comment:
        'detectors and reports judge evidence: no sockets, files, clocks or framework. Pure libraries are named here.',
      from: { path: '^libs/(detectors|reports)/' },
      to: { pathNot: ['^libs/', '^(node:)?url$', 'node_modules/(tldts|tldts-core|yaml|@noble/hashes)/'] },
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
      to: { path: '^libs/(payments|chain)/' },
    },
    {
      name: 'cli-looks-without-money',
      severity: 'error',
      comment: 'commands about hosts neither serve nor charge; those about the ledger have a folder of their own',
      from: { path: '^apps/cli/src/[^/]+$' },
      to: { path: ['^libs/(payments|chain|queue)/', 'node_modules/(@nestjs|fastify|bullmq)/'] },
    },
    only('detectors', []),
    only('payments', []),
    only('config', []),
    only('observability', []),
    only('limits', []),
    only('identity', []),
    only('signatures', ['detectors', 'reports']),
    only('reports', ['detectors']),
    only('chain', ['payments']),
    only('probing', ['detectors', 'reports']),
    only('queue', ['limits']),
    only('subscriptions', []),
    only('persistence', ['detectors', 'reports', 'payments', 'subscriptions']),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(generated|\\.spec\\.ts$|/test/)' },
  },
};
