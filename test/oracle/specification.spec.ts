import 'reflect-metadata';
import { DETECTOR_IDS, DETECTORS, judgeHost } from '@app/detectors';
import { gatewayDocument } from '../../apps/gateway/src/gateway.document';
import { listedTool, TOOLS } from '../../apps/gateway/src/mcp/tools';
import { PRODUCTS } from '../../apps/gateway/src/products/registry';
import { status } from '../support/evidence';
import { probeSite } from '../support/site';
import { INSTALLATION } from './bytes';
import * as specification from './specification';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name?: string; readonly required?: boolean; readonly schema?: object }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
  readonly 'x-payment-info'?: { readonly price: object };
}

const DOCUMENT = JSON.parse(JSON.stringify(gatewayDocument(INSTALLATION))) as {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

function described(route: string): Described {
  const [method = '', path = ''] = route.split(' ');
  return DOCUMENT.paths[path]![method.toLowerCase()]!;
}

function at(path: string): unknown {
  return path
    .split('/')
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], DOCUMENT.components.schemas);
}

/** Members that a schema lacks, or does not demand. */
function missing(schema: Schema, members: readonly string[]): readonly string[] {
  const { properties = {}, required = [] } = (schema.$ref ? at(schema.$ref.split('/').at(-1)!) : schema) as Schema;
  return members.filter((member) => {
    const name = member.replace('*', '');
    return !(name in properties) || (member.endsWith('*') && !required.includes(name));
  });
}

describe('the specification', () => {
  it('is of this version', () => {
    expect([DOCUMENT.openapi, DOCUMENT.info.version]).toEqual(['3.1.0', specification.VERSION]);
  });

  it.each(specification.OPERATIONS)('fixes $route', ({ route, price, tool, statuses, parameters, members }) => {
    const operation = described(route);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(statuses.map(String)));
    const named = (operation.parameters ?? []).map(({ name = '', required }) => name + (required ? '*' : ''));
    expect(named).toEqual(expect.arrayContaining([...parameters]));
    if (members) expect(missing(operation.responses['200']!.content!['application/json']!.schema, members)).toEqual([]);
    if (tool !== null) expect(operation.operationId).toBe(tool);
    const currency = 'USD';
    if (typeof price === 'string')
      expect(operation['x-payment-info']?.price).toEqual({ mode: 'fixed', currency, amount: price });
    else if (price)
      expect(operation['x-payment-info']?.price).toEqual({ mode: 'dynamic', currency, min: price[0], max: price[1] });
    else expect(operation['x-payment-info']).toBeUndefined();
  });

  it('fixes the price of a batch for each number of hosts', () => {
    const batch = PRODUCTS.find(({ name }) => name === 'refresh_hosts_batch')!;
    for (let count = 1; count <= specification.BATCH.maxItems; count += 1) {
      const domains = Array.from({ length: count }, (_, index) => `h${index}.example.com`);
      const { offer } = batch.order({ domains, mode: 'full' }, { installation: INSTALLATION } as never, undefined);
      expect(offer.priceAtomic).toBe(10_000n + 2_000n * BigInt(count));
    }
  });

  it('fixes the body of a batch', () => {
    const { required, minItems, maxItems, mode } = specification.BATCH;
    expect(described('POST /api/v1/hosts/refresh')).toMatchObject({
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { required, properties: { domains: { minItems, maxItems }, mode: { enum: mode } } },
          },
        },
      },
    });
  });

  it.each(specification.TOOLS)('fixes the tool %s and its price', (name, price) => {
    const tool = TOOLS.find((one) => one.name === name)!;
    expect(listedTool(tool, INSTALLATION).description).toContain(`Price: ${price}`);
  });

  it('fixes the list of tools, and the detectors', () => {
    expect(TOOLS.map(({ name }) => name)).toEqual(specification.TOOLS.map(([name]) => name));
    expect(DETECTOR_IDS).toEqual(specification.PROTOCOLS);
  });

  it.each(Object.entries(specification.SCHEMAS))('fixes the members of %s', (name, members) => {
    expect(missing(at(name) as Schema, members)).toEqual([]);
  });

  it.each(Object.entries(specification.VALUES))('fixes %s', (path, value) => {
    expect(at(path)).toEqual(value);
  });

  it.each(Object.entries(specification.PARAMETERS))('fixes the values of %s', (parameter, values) => {
    const [method, path, name] = parameter.split(' ');
    const found = described(`${method} ${path}`).parameters!.find((one) => one.name === name);
    expect(found?.schema).toMatchObject(values);
  });

  it('fixes what is said of a host that answers 429, and of acp', async () => {
    const { cells } = judgeHost(DETECTORS, await probeSite({ '/': status(429) }, status(429)));
    for (const { id, status: cell, details } of cells) {
      if (id === 'acp') expect([cell, details['reason']]).toEqual(['undiscoverable', 'acp_has_no_public_well_known']);
      else expect([id, cell, details['statusCode']]).toEqual([id, 'error', 429]);
    }
  });
});
