import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RequestError } from '../src/http/request-error';
import type { RateLimits } from '../src/limits/rate-limits';
import { McpEndpoint } from '../src/mcp/mcp-endpoint';
import { McpController } from '../src/mcp/mcp.controller';
import { object } from '../src/mcp/json-schema';
import type { FreeTool, ToolServices } from '../src/mcp/tool';
import { ToolDesk } from '../src/mcp/tool-desk';
import { Shop } from '../src/paywall/shop';

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

function because(reason: string, scenarios: readonly string[]): Record<string, string> {
  return Object.fromEntries(scenarios.map((name) => [name, reason]));
}

/** The suite calls tools of these names; they stand beside ours in this test only. */
const suiteTool = (name: string, run: FreeTool['run'], input: object = object({})): FreeTool => ({
  name,
  title: name,
  about: { what: 'Of the conformance suite.', freshness: '', failures: '', instead: '' },
  input: input as FreeTool['input'],
  answer: object({}),
  openWorld: false,
  readOnly: true,
  run,
});
const SUITE_TOOLS = [
  suiteTool('test_simple_text', () => Promise.resolve('{"text":"This is a simple text response for testing."}')),
  suiteTool('test_error_handling', () =>
    Promise.reject(new RequestError(409, 'intended', 'This tool intentionally returns an error for testing')),
  ),
  suiteTool('json_schema_2020_12_tool', () => Promise.resolve('{}'), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  }),
];

@Module({})
class SuiteModule {}

describe('the conformance suite of MCP', () => {
  let app: NestFastifyApplication;
  let url: string;

  beforeAll(async () => {
    const desk = new ToolDesk({ services: {} as ToolServices, shop: new Shop(null), limits: {} as RateLimits });
    app = await NestFactory.create<NestFastifyApplication>(
      {
        module: SuiteModule,
        controllers: [McpController],
        providers: [{ provide: McpEndpoint, useValue: new McpEndpoint(desk, 'http://127.0.0.1', SUITE_TOOLS) }],
      },
      new FastifyAdapter(),
      { logger: false },
    );
    await app.listen(0, '127.0.0.1');
    url = `${await app.getUrl()}/api/v1/mcp`;
  });
  afterAll(() => app.close());

  it('passes every scenario that applies, and fails those that do not', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hostprobe-conformance-'));
    const baseline = join(directory, 'expected-failures.yml');
    writeFileSync(baseline, JSON.stringify({ server: Object.keys(NOT_SERVED) }));
    const suite = require.resolve('@modelcontextprotocol/conformance/dist/index.js');
    const args = [suite, 'server', '--url', url, '--suite', 'all', '--expected-failures', baseline, '-o', directory];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { maxBuffer: 10_000_000 }, (_, stdout) => {
        resolve(stdout);
      });
    });
    const verdicts = [...output.matchAll(/^([✓✗~]) ([a-z0-9-]+):.*\b(\d+) failed/gm)];
    const passed = verdicts.filter(([, , , failed]) => failed === '0').map(([, , name]) => name);
    const failed = verdicts.filter(([, , , count]) => count !== '0').map(([, , name]) => name);
    expect(passed.toSorted()).toEqual(SERVED.toSorted());
    expect(failed.toSorted()).toEqual(Object.keys(NOT_SERVED).toSorted());
  }, 300_000);
});
