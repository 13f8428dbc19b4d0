import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { VERSION } from '@app/config';
import { readCommand } from './terminal/command-line';

const read = (name: string): unknown => JSON.parse(readFileSync(`apps/cli/${name}`, 'utf8'));

interface Input {
  readonly value?: string;
  readonly name?: string;
}

interface ServerEntry {
  readonly name: string;
  readonly version: string;
  readonly repository: { readonly url: string };
  readonly packages: readonly {
    readonly registryType: string;
    readonly identifier: string;
    readonly version: string;
    readonly packageArguments: readonly Input[];
    readonly environmentVariables: readonly Input[];
  }[];
}

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly server: {
    readonly entry_point: string;
    readonly mcp_config: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  };
  readonly user_config: Readonly<Record<string, { readonly default: unknown }>>;
  readonly compatibility: { readonly runtimes: { readonly node: string } };
}

const text = { type: 'string', minLength: 1 };
const exact = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?$' };

/**
 * The MCP registry's requirements for an entry with packages that start over stdio (its schema of 2025-12-11, and its
 * checks).
 */
const ENTRY = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version', 'packages'],
  properties: {
    $schema: { type: 'string', pattern: '/\\d{4}-\\d{2}-\\d{2}/server\\.schema\\.json$' },
    name: { type: 'string', pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', minLength: 3, maxLength: 200 },
    title: { ...text, maxLength: 100 },
    description: { ...text, maxLength: 100 },
    version: exact,
    repository: {
      type: 'object',
      required: ['url', 'source'],
      properties: { url: { type: 'string', format: 'uri' }, source: text },
    },
    packages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['registryType', 'identifier', 'version', 'transport'],
        additionalProperties: false,
        properties: {
          registryType: { enum: ['npm', 'mcpb'] },
          identifier: text,
          version: exact,
          fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
          transport: { type: 'object', required: ['type'], properties: { type: { const: 'stdio' } } },
          packageArguments: {
            type: 'array',
            items: {
              type: 'object',
              required: ['type', 'value'],
              properties: { type: { const: 'positional' }, value: text },
            },
          },
          environmentVariables: {
            type: 'array',
            items: { type: 'object', required: ['name'], properties: { name: text, description: text } },
          },
        },
        if: { properties: { registryType: { const: 'mcpb' } } },
        then: { required: ['fileSha256'], properties: { identifier: { format: 'uri' } } },
      },
    },
  },
};

const validate = addFormats(new Ajv({ strict: false })).compile(ENTRY);

describe('the entry in the registry of MCP', () => {
  const entry = read('server.json') as ServerEntry;
  const [npm] = entry.packages;

  it('is valid for the registry, and invalid if any member is missing', () => {
    expect([validate(entry), validate.errors]).toEqual([true, null]);
    for (const [place, required] of [
      [[], ENTRY.required],
      [['repository'], ENTRY.properties.repository.required],
      [['packages', 0], ENTRY.properties.packages.items.required],
    ] as const) {
      for (const member of required) {
        const copy = structuredClone(entry) as unknown as Record<string, unknown>;
        const holder = place.reduce<Record<string, unknown>>((at, step) => at[step] as Record<string, unknown>, copy);
        Reflect.deleteProperty(holder, member);
        expect([member, validate(copy)]).toEqual([member, false]);
      }
    }
  });

  it('names the npm package of this version, and the package names the entry', () => {
    expect([entry.version, npm?.version, npm?.registryType, npm?.identifier]).toEqual([
      VERSION,
      VERSION,
      'npm',
      'hostprobe',
    ]);
    const owner = /^https:\/\/github\.com\/([^/]+)\//.exec(entry.repository.url)?.[1];
    expect(entry.name).toBe(`io.github.${owner ?? ''}/hostprobe`);
  });

  it('starts an existing command, with variables that it reads', () => {
    expect(readCommand(npm!.packageArguments.map(({ value }) => value ?? ''))).toMatchObject({ kind: 'mcp' });
    const page = readFileSync('docs/command-line.md', 'utf8');
    for (const { name } of npm!.environmentVariables) expect(page).toContain(`\`${name ?? ''}\``);
  });
});

describe('the manifest of the bundle', () => {
  const manifest = read('manifest.json') as Manifest;
  const { args, env } = manifest.server.mcp_config;

  it('has this version and requires the Node.js releases that the packages need', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    expect([manifest.version, manifest.compatibility.runtimes.node]).toEqual([VERSION, engines.node]);
    expect(read('server.json')).toMatchObject({ description: manifest.description });
  });

  it("starts an existing command, with exactly the user's settings", () => {
    const settings = [...[...args, ...Object.values(env)].join(' ').matchAll(/\$\{user_config\.(\w+)\}/g)].map(
      ([, name]) => name,
    );
    expect(settings.toSorted()).toEqual(Object.keys(manifest.user_config).toSorted());
    const given = args
      .slice(1)
      .map((arg) => arg.replace('${user_config.max_usd}', String(manifest.user_config['max_usd']?.default)));
    expect(args[0]).toBe(`\${__dirname}/${manifest.server.entry_point}`);
    expect(readCommand(given)).toEqual({ kind: 'mcp', url: null, maxUsd: '1' });
  });
});
