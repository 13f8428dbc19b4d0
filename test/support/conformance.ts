import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { RequestError } from '../../apps/gateway/src/http/request-error';
import { object } from '../../apps/gateway/src/routes/json-schema';
import { McpEndpoint } from '../../apps/gateway/src/mcp/mcp-endpoint';
import { mcpRoute } from '../../apps/gateway/src/mcp/mcp-route';
import type { FreeTool, FreeToolDeps } from '../../apps/gateway/src/reports/free-tool';
import { controllerOf } from '../../apps/gateway/src/routes/routes-controller';
import { usd } from '../../apps/gateway/src/products/price';

/** The suite calls tools with these names in place of the gateway's. */
const suiteTool = (name: string, run: FreeTool['run'], input: object = object({})): FreeTool => ({
  name,
  title: name,
  what: 'Of the conformance suite.',
  freshness: '',
  errors: [],
  instead: '',
  component: name,
  input: input as FreeTool['input'],
  answer: z.object({}),
  run,
});

const empty: FreeTool['run'] = () => Promise.resolve({ body: '{}' });

const SUITE_TOOLS = [
  suiteTool('test_simple_text', () =>
    Promise.resolve({ body: '{"text":"This is a simple text response for testing."}' }),
  ),
  suiteTool('test_error_handling', () =>
    Promise.reject(new RequestError('not_found', 'This tool intentionally returns an error for testing')),
  ),
  // Called to check that nothing but the answer is returned.
  suiteTool('test_logging_tool', empty),
  suiteTool('test_streaming_elicitation', empty),
  suiteTool('json_schema_2020_12_tool', empty, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
    if: { required: ['address'] },
    then: { properties: { name: { minLength: 1 } } },
    else: { properties: { name: { maxLength: 100 } } },
    additionalProperties: false,
  }),
];

@Module({})
class SuiteModule {}

/** The MCP endpoint with the suite's tools. */
export async function startSuiteServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const noSubscribers = { concerning: <C>(_: unknown, credential: C) => Promise.resolve(credential) };
  const installation = { baseUrl: 'http://127.0.0.1', subscription: { price: usd('5'), days: 30 } };
  const sales = { sell: () => Promise.reject(new Error('nothing is sold here')) };
  const statements = { stated: <S>(sale: S) => Promise.resolve(sale) };
  const deps = { installation, sales, free: {} as FreeToolDeps, statements, subscribers: noSubscribers };
  const app = await NestFactory.create<NestFastifyApplication>(
    {
      module: SuiteModule,
      controllers: [controllerOf([mcpRoute(installation)], { mcp: new McpEndpoint(deps, SUITE_TOOLS) })],
    },
    new FastifyAdapter(),
    { logger: false },
  );
  await app.listen(0, '127.0.0.1');
  return { url: `${await app.getUrl()}/api/v1/mcp`, close: () => app.close() };
}

/** A release of the suite, and its Node version. */
export interface SuiteRelease {
  readonly node: string;
  /** The path of its command. */
  readonly command: string;
  /** Arguments in addition to `server --url`. */
  readonly args: readonly string[];
}

/** Runs all server scenarios. Returns the ids of the failed checks by scenario. */
export async function runSuite(
  { node, command, args }: SuiteRelease,
  url: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const directory = mkdtempSync(join(tmpdir(), 'hostprobe-conformance-'));
  const all = [command, 'server', '--url', url, '--suite', 'all', '-o', directory, ...args];
  await new Promise<void>((resolve) => {
    // It exits with an error if a scenario failed; the failures are read from its files.
    execFile(node, all, { maxBuffer: 10_000_000 }, () => {
      resolve();
    });
  });
  return new Map(
    readdirSync(directory).map((name) => {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1] ?? name;
      const checks = JSON.parse(readFileSync(join(directory, name, 'checks.json'), 'utf8')) as Check[];
      return [scenario, checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)] as const;
    }),
  );
}

interface Check {
  readonly id: string;
  readonly status: string;
}
