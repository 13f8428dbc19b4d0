import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig } from '@app/config';
import { Contract } from '../../../../../test/support/contract';
import { installationOf } from '../../products/installation';
import { everyRoute, gatewayRoutes } from '../../gateway.document';
import { controllerOf } from '../../routes/routes-controller';
import type { Operation } from '../../routes/operation';

const CONFIG = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1/none',
  PUBLIC_BASE_URL: 'https://hostprobe.example.com',
  X402_NETWORK: 'eip155:8453',
  X402_PAY_TO: '0x52908400098527886E0F7030069857D2E4169EE7',
  X402_FACILITATOR_URL: 'http://127.0.0.1:1',
  SUBSCRIPTION_PRICE_USD: '7.5',
});
const DOCUMENT = everyRoute(installationOf(CONFIG));

const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, path, operation })),
);

/** The routes that the gateway registers, without its services. */
async function registeredRoutes(): Promise<readonly string[]> {
  const module = controllerOf<never>(gatewayRoutes(installationOf(CONFIG)), {} as never);
  const adapter = new FastifyAdapter();
  const routes: string[] = [];
  adapter.getInstance().addHook('onRoute', ({ method, url }) => {
    const path = url.replace(/:(\w+)/g, '{$1}');
    for (const name of [method].flat()) if (name !== 'HEAD') routes.push(`${name} ${path}`);
  });
  const app = await NestFactory.create<NestFastifyApplication>({ module, controllers: [module] }, adapter, {
    logger: false,
  });
  await app.init();
  await app.close();
  return routes;
}

function documented(id: string): Operation {
  return OPERATIONS.find(({ operation }) => operation.operationId === id)!.operation;
}

interface MediaType {
  readonly example?: unknown;
  readonly examples?: { readonly recorded: { readonly $ref: string } };
}

function exampleOf({ example, examples }: MediaType): unknown {
  const recorded = examples?.recorded.$ref.split('/').at(-1);
  return recorded === undefined ? example : DOCUMENT.components.examples[recorded]!['value'];
}

/** JSON pointer of an operation. */
function pointerTo(route: string, path: string): string {
  return `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${route.split(' ', 1)[0]!.toLowerCase()}`;
}

/** Every example of a parameter, with the JSON pointer of its schema. */
const PARAMETER_EXAMPLES = OPERATIONS.flatMap(({ route, path, operation }) =>
  (operation.parameters ?? []).flatMap((one, index) =>
    'example' in one
      ? [
          {
            what: `${String(one['name'])} of ${route}`,
            pointer: `${pointerTo(route, path)}/parameters/${index}/schema`,
            example: one['example'],
          },
        ]
      : [],
  ),
);

/** Every example of a body, with the JSON pointer of its schema. */
const EXAMPLES = OPERATIONS.flatMap(({ route, path, operation }) => {
  const at = pointerTo(route, path);
  const slots = [
    ...Object.entries(operation.responses).map(([status, one]) => [`/responses/${status}`, one] as const),
    ['/requestBody', operation.requestBody ?? {}] as const,
  ];
  return slots.flatMap(([slot, one]) =>
    Object.entries(('content' in one ? one.content : {}) as Readonly<Record<string, MediaType>>)
      .filter(([, media]) => exampleOf(media) !== undefined)
      .map(([type, media]) => ({
        what: `${route}${slot}`,
        pointer: `${at}${slot}/content/${encodeURIComponent(type.replaceAll('/', '~1'))}/schema`,
        example: exampleOf(media),
      })),
  );
});

describe('the OpenAPI document', () => {
  it('describes exactly the registered routes', async () => {
    const described = OPERATIONS.map(({ route }) => route);
    expect([...(await registeredRoutes())].sort()).toEqual(described.sort());
  });

  it('declares every path parameter, and has no duplicate operation ids', () => {
    for (const { path, operation } of OPERATIONS) {
      const inPath = (operation.parameters ?? []).filter((one) => 'in' in one && one['in'] === 'path');
      expect(inPath.map((one) => ('name' in one ? `{${String(one['name'])}}` : ''))).toEqual(
        path.match(/\{\w+\}/g) ?? [],
      );
    }
    const ids = OPERATIONS.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has no broken references and no unused components', () => {
    const used = new Set(
      [...JSON.stringify(DOCUMENT).matchAll(/"#\/components\/(\w+\/[\w-]+)"/g)].map(([, name]) => name),
    );
    const { schemas, headers, parameters, responses, examples } = DOCUMENT.components;
    const there = Object.entries({ schemas, headers, parameters, responses, examples }).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect([...used].sort()).toEqual(there.sort());
  });

  it('sends Retry-After with every temporary error', () => {
    const shared = DOCUMENT.components['responses'] as Record<string, unknown>;
    const silent = OPERATIONS.flatMap(({ route, operation: { responses } }) =>
      (['429', '503'] as const).flatMap((status) => {
        const said = responses[status];
        if (said === undefined || route === 'GET /health/ready') return [];
        const { headers = {} } = ('$ref' in said ? shared[said.$ref.split('/').pop() ?? ''] : said) as {
          headers?: object;
        };
        return 'Retry-After' in headers ? [] : `${route} ${status}`;
      }),
    );
    expect(silent).toEqual([]);
  });

  const fixed = (amount: string): object => ({ mode: 'fixed', currency: 'USD', amount });
  it.each([
    ['subscribe', fixed('7.5')],
    ['begin_watch', fixed('0.01')],
  ])('states the price of %s, and its 402 response', (id, price) => {
    const operation = documented(id);
    expect(operation['x-payment-info']).toEqual({ price, protocols: [{ x402: {} }] });
    expect(operation.responses).toHaveProperty('402');
  });

  it('has an example answer for each operation on hosts, checks and tools, and a challenge for each paid one', () => {
    const shown = EXAMPLES.map(({ what }) => what);
    for (const { route, operation } of OPERATIONS) {
      if (['hosts', 'checks', 'mcp'].includes(operation.tags[0])) {
        for (const [status, response] of Object.entries(operation.responses)) {
          if (status.startsWith('2') && 'content' in response) expect(shown).toContain(`${route}/responses/${status}`);
        }
      }
      if (operation['x-payment-info']) expect(shown).toContain(`${route}/responses/402`);
      if (operation.requestBody?.['required'] === true) expect(shown).toContain(`${route}/requestBody`);
    }
  });

  it.each([...PARAMETER_EXAMPLES, ...EXAMPLES])(
    'has an example that matches its schema: $what',
    ({ pointer, example }) => {
      const value: unknown = JSON.parse(JSON.stringify(example));
      expect(new Contract(DOCUMENT).faultsOf(pointer, value)).toBeUndefined();
    },
  );
});
