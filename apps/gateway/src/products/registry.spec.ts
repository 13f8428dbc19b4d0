import 'reflect-metadata';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { templateOf } from '../routes/parameters';
import { ERROR_CODES } from '../http/error-codes';
import { RequestError } from '../http/request-error';
import { PROBE_ERRORS } from '../probing-client/probe-errors';
import { defineProduct } from './define-product';
import type { ProductDeps } from './product-deps';
import { priceText, usd } from './price';
import { FREE_TOOLS, PRODUCTS } from './registry';

const INSTALLATION = {
  baseUrl: 'https://probe.example.com',
  terms: null,
  subscription: { price: usd('5'), days: 30 },
  contact: null,
};
const DEPS = { installation: INSTALLATION } as ProductDeps;
const ALL = [...FREE_TOOLS, ...PRODUCTS];
const each = PRODUCTS.map((product) => [product.sku, product] as const);

/** The cells of the table below a heading of a document. */
function tableOf(file: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = readFileSync(file, 'utf8').split(`\n${heading}\n`);
  const [, table = ''] = /\n((?:\|.*\n)+)/.exec(section) ?? [];
  return table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
}

const coded = (text: string): string => `\`${text}\``;
const numbersIn = (text: string): readonly string[] => text.match(/\d+(?:\.\d+)?/g) ?? [];
const routeOf = ({ method, path }: (typeof PRODUCTS)[number]): string => `${method} ${templateOf(path)}`;
const priceOf = (product: (typeof PRODUCTS)[number]): readonly string[] =>
  numbersIn(priceText(product.price(INSTALLATION)));

/** All exports of the files in this folder and in that of the free tools. */
async function exported(): Promise<readonly unknown[]> {
  const files = [__dirname, join(__dirname, '../reports')].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map((file) => join(folder, file)),
  );
  const modules = await Promise.all(files.map((file) => import(file) as Promise<object>));
  return modules.flatMap((module) => Object.values(module) as unknown[]);
}

const isDefinition = (value: unknown): value is { readonly name: string } =>
  typeof value === 'object' && value !== null && 'name' in value && 'component' in value;

/** The arguments of a product's example, as its route passes them on. */
function exampleArguments({ path, example }: (typeof PRODUCTS)[number]): Readonly<Record<string, unknown>> {
  const { pathname, searchParams } = new URL(example.call, INSTALLATION.baseUrl);
  const parts = pathname.split('/');
  const named = path.split('/').flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), parts[i]]] : []));
  return { ...example.body, ...Object.fromEntries([...searchParams, ...named] as [string, unknown][]) };
}

/** The error code for invalid arguments; undefined if they are accepted. */
function refusedWith(product: (typeof PRODUCTS)[number], raw: unknown): string | undefined {
  try {
    product.order(raw, DEPS, undefined);
    return undefined;
  } catch (error) {
    return (error as RequestError).code;
  }
}

describe('the registry of products', () => {
  it('has the products of behaviour 7.1, in the same order', () => {
    const listed = tableOf('docs/behaviour/endpoints.md', '### 7.1 Endpoints and prices').filter(([, , , sku]) =>
      /^`/.test(sku ?? ''),
    );
    const prices = listed.map(([, , route, sku, price = ''], at) => {
      const parts = PRODUCTS[at] ? priceOf(PRODUCTS[at]).length : 0; // further numbers give its duration
      return [route, sku, numbersIn(price).slice(0, parts)];
    });
    expect(prices).toEqual(PRODUCTS.map((product) => [coded(routeOf(product)), coded(product.sku), priceOf(product)]));
  });

  it.each(each)('%s has its tool in that table', (_, product) => {
    const rows = tableOf('docs/behaviour/endpoints.md', '### 7.1 Endpoints and prices');
    const [, , , , , tool] = rows.find(([, , endpoint]) => endpoint === coded(routeOf(product))) ?? [];
    expect(tool).toBe(product.tool ? coded(product.name) : '');
  });

  it('has its five prices in the README', () => {
    const rows = tableOf('README.md', '## Pay for a probe').slice(2, -1);
    const products = rows.map(([, what = '']) => PRODUCTS.find((product) => what.includes(coded(routeOf(product))))!);
    expect(new Set(products).size).toBe(5);
    expect(rows.map(([, , price = '']) => numbersIn(price))).toEqual(products.map(priceOf));
  });

  it('contains every defined product and free tool exactly once', async () => {
    const defined = new Set((await exported()).filter(isDefinition).map(({ name }) => name));
    const names = ALL.map(({ name }) => name);
    expect([...defined].sort()).toEqual(names.toSorted());
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(PRODUCTS.map(({ sku }) => sku)).size).toBe(PRODUCTS.length);
  });

  it.each(each)('%s is admitted before it probes, and lists the probe errors', async (_, product) => {
    const [admitted, ran]: [unknown[], unknown[]] = [[], []];
    const deps = {
      ...DEPS,
      probes: {
        admit: (requests: readonly unknown[]) => Promise.resolve(void admitted.push(...requests)),
        run: (request: unknown) => Promise.reject(new Error(`no worker probes (${ran.push(request)})`)),
      },
      hosts: { findReport: () => Promise.resolve(undefined) },
      optOuts: { covers: () => false },
      watches: { admitSale: () => Promise.resolve() },
    } as unknown as ProductDeps;
    const { job } = product.order(exampleArguments(product), deps, undefined);
    await job.admit();
    await job.work().catch(() => undefined);
    expect(admitted).toEqual(ran);
    const codes = [...(ran.length > 0 ? PROBE_ERRORS : []), ...(product.check ? ['rate_limited'] : [])];
    expect(product.errors).toEqual(expect.arrayContaining(codes));
  });

  it.each(each)('%s has a description that is short enough for every facilitator', (_, product) => {
    expect(product.description(INSTALLATION).length).toBeLessThanOrEqual(200);
  });

  it.each(each)('%s accepts its own example, at the price and URL of its 402', (_, product) => {
    const order = product.order(exampleArguments(product), DEPS, undefined);
    const example = product.exampleOffer(INSTALLATION);
    expect(order.offer).toEqual({ ...example, bodyHash: order.offer.bodyHash, resource: order.offer.resource });
    expect(decodeURIComponent(order.offer.resource)).toBe(decodeURIComponent(example.resource));
  });

  it.each(each)('%s refuses each invalid argument with one of its own codes', (_, product) => {
    const good = exampleArguments(product);
    for (const member of Object.keys(product.input.properties ?? {})) {
      const code = refusedWith(product, { ...good, [member]: { wrong: true } });
      expect(product.errors).toContain(code);
    }
    for (const member of product.input.required ?? []) {
      expect(product.errors).toContain(refusedWith(product, { ...good, [member]: undefined }));
    }
  });

  it.each(each)('%s has an argument for each path parameter', (_, product) => {
    for (const [, member = ''] of product.path.matchAll(/:(\w+)/g)) {
      expect(product.input.required).toContain(member);
      expect(product.describe.params).toHaveProperty(member);
    }
  });

  it.each(ALL.map((tool) => [tool.name, tool] as const))('%s lists only codes of the catalog', (_, { errors }) => {
    expect(errors.filter((code) => !(code in ERROR_CODES))).toEqual([]);
    expect(new Set(errors).size).toBe(errors.length);
  });

  it('rejects a product with an unknown error code at compile time', () => {
    // @ts-expect-error no such code
    expect(() => defineProduct({ errors: ['no_such_code'] })).toThrow();
  });
});
