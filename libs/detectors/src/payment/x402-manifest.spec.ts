import type { JsonValue } from '../formats/json';
import { readX402Manifest } from './x402-manifest';

const ROUTE = { path: '/report', price: '$0.02' };

describe('the family of a manifest', () => {
  it.each<[family: string, manifest: JsonValue]>([
    ['host_manifest', { x402Version: 2, kind: 'resource-server', resources: [] }],
    ['items', { x402Version: 2, items: [], resources: [] }],
    ['x402version_resources', { x402Version: 2, resources: [], endpoints: [] }],
    ['x402version_endpoints', { x402Version: 2, endpoints: [], accepts: [] }],
    ['x402version_accepts', { x402Version: 2, accepts: [], openapi: [] }],
    ['x402version_openapi', { x402Version: 2, openapi: [] }],
    ['x402version_only', { x402Version: 2 }],
    ['fan_out', { version: 1, resources: [], endpoints: [] }],
    ['version_endpoints', { version: 1, endpoints: [ROUTE] }],
    ['bare_list', [ROUTE]],
    ['unrecognised', ['text']],
    ['bespoke', { endpoints: { '/report': ROUTE } }],
    ['bespoke', { accepts: [] }],
    ['unrecognised', { version: 1, name: 'Shop' }],
  ])('is %s for %j', (family, manifest) => {
    expect(readX402Manifest(manifest).family).toBe(family);
  });
});
