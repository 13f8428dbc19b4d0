import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, load, loadAll, mergeTag } from 'js-yaml';
import { loadConfig, VARIABLES } from '@app/config';
import { MEMORY_SETTINGS } from '../apps/standalone/src/service-process';
import { registries } from './support/registries';

const read = (path: string) => readFileSync(path, 'utf8');

/** The longest sale that a stopping gateway waits for, and a worker's longest probe, in seconds. */
const LONGEST_STOP_SEC = { gateway: 75, worker: 45 } as const;

/** The names of all series of gateway and worker, and the labels that queries may use for each. */
async function series(): Promise<ReadonlySet<string>> {
  const families = (await Promise.all(
    registries().map((registry) => registry.getMetricsAsJSON()),
  )) as unknown as readonly (readonly { readonly name: string; readonly type: string }[])[];
  return new Set(
    families
      .flat()
      .flatMap(({ name, type }) =>
        type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
  );
}

/** The metrics that a query names. */
function namesIn(query: string): readonly string[] {
  return [...query.matchAll(/\b(?:hostprobe|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}

describe('the material for operators', () => {
  const { groups } = load(read('docs/operations/alerts.yml')) as { groups: readonly { rules: readonly Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  const dashboard = JSON.parse(read('docs/operations/grafana-dashboard.json')) as {
    panels: readonly { title: string; targets: readonly { expr: string }[] }[];
  };
  const runbook = read('docs/operations/runbook.md');

  it('only uses existing metrics, in every alert and panel', async () => {
    const known = await series();
    const queries = [...rules, ...dashboard.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
    for (const query of queries) {
      expect(namesIn(query)).not.toEqual([]);
      for (const name of namesIn(query)) expect([query, known.has(name)]).toEqual([query, true]);
    }
  });

  it('only uses existing label values', () => {
    const sources = ['apps', 'libs']
      .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)))
      .filter((path) => /\/src\/.*(?<!\.spec)\.ts$/.test(path))
      .map(read)
      .join('');
    const asked = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/(\w+)(?:=|!=|=~)"([^"]+)"/g)]
        .filter(([, label]) => label !== 'route' && label !== 'status')
        .flatMap(([, , values]) => values!.split('|')),
    );
    expect(asked).toContain('growth');
    const known = (value: string): boolean => sources.includes(`'${value}'`) || sources.includes(`  ${value}: `);
    expect(asked.filter((value) => !known(value))).toEqual([]);
  });

  it('has a runbook entry for every alert, and none for removed alerts', () => {
    const headings = [...runbook.matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
    expect(rules.map(({ alert }) => alert).sort()).toEqual(headings.filter((name) => name !== 'Retention').sort());
    for (const { alert, annotations } of rules) expect(annotations.runbook).toBe(`runbook.md#${alert.toLowerCase()}`);
  });

  it('describes every metric of the service, and no removed ones', async () => {
    const own = [...(await series())].filter(
      (name) => /^hostprobe_/.test(name) && !/_(?:bucket|sum|count)$/.test(name),
    );
    const described = [...read('docs/operations/README.md').matchAll(/^\| `(hostprobe_\w+)`/gm)].map(
      ([, name]) => name,
    );
    expect(described.sort()).toEqual(own.sort());
  });
});

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, unknown>>;
        readonly env_file?: unknown;
        readonly healthcheck?: { readonly test: readonly string[] };
        readonly deploy?: { readonly replicas: number };
        readonly image?: string;
        readonly build?: string;
        readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
        readonly networks: readonly string[];
        readonly ports?: readonly string[];
        readonly command?: readonly string[];
        readonly stop_grace_period?: string;
      }
    >
  >;
}

describe('the memory settings of gateway and worker', () => {
  it('are the same in the image, in npm start and in their own commands', () => {
    const image = read('Dockerfile');
    for (const [name, value] of Object.entries(MEMORY_SETTINGS)) {
      expect(image).toMatch(new RegExp(`[ ]${name}="?${value}"?(?: |\\n)`));
    }
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const part of ['gateway', 'worker']) {
      expect(scripts[`start:${part}`]).toBe(`node ${MEMORY_SETTINGS['NODE_OPTIONS']} dist/apps/${part}/src/main.js`);
    }
  });
});

describe('the image', () => {
  it('runs as production', () => {
    expect(read('Dockerfile')).toMatch(/^ENV NODE_ENV=production /m);
  });
});

describe('.dockerignore', () => {
  it('excludes the secrets of the build machine, but nothing that the build needs', () => {
    const lines = read('.dockerignore').split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['.env*', '.data', '.git', '*.key', '*.pem', '!test/oracle/openapi.json']),
    );
    for (const needed of ['apps', 'libs', 'packages', 'prisma', 'legal', 'package.json'])
      expect(lines).not.toContain(needed);
  });

  it('keeps the scripts that the build runs', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
    const run = [...read('Dockerfile').matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => scripts[name ?? ''] ?? '');
    const files = run.flatMap((said) => said.match(/\bscripts\/\S+/g) ?? []);
    for (const file of files)
      files.push(...[...read(file).matchAll(/'\.\/([\w-]+\.[cm]js)'/g)].map(([, name]) => `scripts/${name}`));
    expect(files).toContain('scripts/page-files.mjs');
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(files.map((file) => `!${file}`)));
  });
});

/** The text of every source in a folder, without tests. */
function sourcesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.spec)\.ts$/.test(name))
    .map((name) => read(join(folder, name)))
    .join('\n');
}

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml');
  const { services } = load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose;

  it('only sets and passes existing variables', () => {
    for (const part of ['gateway', 'worker', 'migrate']) {
      expect(VARIABLES).toEqual(expect.arrayContaining(Object.keys(services[part]!.environment!)));
    }
    const taken = [...text.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name);
    expect([...VARIABLES, 'POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'GATEWAY_PORTS', 'HOSTPROBE_IMAGE']).toEqual(
      expect.arrayContaining(taken),
    );
    const set = [services['gateway'], services['worker']].flatMap((service) => Object.keys(service!.environment!));
    expect(VARIABLES.filter((name) => !set.includes(name))).toEqual(['PROBE_CONNECT_TO', 'PROBE_CA_FILE']);
  });

  it.each(['gateway', 'worker'])('passes every variable that a %s reads', (part) => {
    const source = sourcesIn(`apps/${part}/src`);
    // Longer names of configuration members only, because short ones such as `url` have other meanings too.
    const used = [...read('libs/config/src/config.ts').matchAll(/(\w{12,}):\s[^\n]*?environment\.([A-Z0-9_]+)/g)]
      .filter(([, member = '']) => new RegExp(`\\b${member}\\b`).test(source))
      .map(([, , variable]) => variable);
    expect(used.length).toBeGreaterThan(3);
    expect(Object.keys(services[part]!.environment!)).toEqual(expect.arrayContaining(used));
  });

  it('runs the image in HOSTPROBE_IMAGE, or builds one', () => {
    const own = ['migrate', 'gateway', 'worker'].map((part) => services[part]!);
    expect(own.map(({ image }) => image)).toEqual(own.map(() => '${HOSTPROBE_IMAGE:-hostprobe}'));
    expect(own.map(({ build }) => build)).toEqual(['.', undefined, undefined]);
  });

  it('does not start without the database passwords and the encryption key', () => {
    const demanded = [...text.matchAll(/\$\{([A-Z0-9_]+):\?[^}]+\}/g)].map(([, name]) => name);
    expect([...new Set(demanded)].sort()).toEqual([
      'POSTGRES_PASSWORD',
      'PROBER_CONTACT',
      'REDIS_PASSWORD',
      'SECRETS_KEY',
    ]);
    expect(services['postgres']!.environment!['POSTGRES_PASSWORD']).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(services['redis']!.command!.join(' ')).toMatch(/--requirepass \$\{REDIS_PASSWORD:\?/);
  });

  it('gives workers none of the secrets of the gateway', () => {
    for (const service of Object.values(services)) expect(service.env_file).toBeUndefined();
    const own = ['WEBHOOK_KEY', 'WEBHOOK_KEY_FORMER'];
    expect(secretsIn(services['worker']!.environment!)).toEqual([...SHARED_SECRETS, ...own]);
    expect(secretsIn(services['gateway']!.environment!)).not.toEqual(expect.arrayContaining([own[0]]));
    expect(secretsIn(services['migrate']!.environment!)).toEqual(['DATABASE_URL']);
  });

  it('serves metrics on the internal network only', () => {
    const { networks } = load(text) as { networks: Record<string, { ipam: { config: [{ subnet: string }] } }> };
    for (const part of ['gateway', 'worker']) {
      expect(services[part]!.environment!['METRICS_HOST']).toBe(networks['inside']!.ipam.config[0].subnet);
    }
  });

  it('gives every process a valid configuration', () => {
    for (const part of ['gateway', 'worker']) {
      const env = Object.entries(services[part]!.environment!).map(([name, value]) => [
        name,
        String(value)
          .replace(/\$\{\w+:-([^}]*)\}/g, '$1')
          .replace(/\$\{PROBER_CONTACT:\?[^}]*\}/, 'mailto:prober@example.org')
          .replace(/\$\{\w+:\?[^}]*\}/g, OWN_SECRET),
      ]);
      expect(loadConfig(Object.fromEntries(env) as Record<string, string>)).toMatchObject({
        production: true,
        monitor: { port: 9464 },
      });
    }
  });

  it('starts two gateways and two workers in an order based on health checks', () => {
    for (const part of ['gateway', 'worker'] as const) {
      const service = services[part]!;
      expect(service.deploy?.replicas).toBe(2);
      expect(service.depends_on).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
      expect(Number.parseInt(service.stop_grace_period!, 10)).toBeGreaterThan(LONGEST_STOP_SEC[part]);
    }
    expect(services['migrate']!.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const part of ['gateway', 'worker', 'redis', 'postgres']) {
      expect(services[part]!.healthcheck?.test.length).toBeGreaterThan(1);
    }
  });

  it('hides databases and metrics from the outside, and persists all jobs in Redis', () => {
    const { networks } = load(text) as { networks: Record<string, { internal?: boolean }> };
    for (const store of ['redis', 'postgres']) {
      expect([services[store]!.networks, services[store]!.ports]).toEqual([['inside'], undefined]);
    }
    expect(networks['inside']!.internal).toBe(true);
    expect(Object.values(services).flatMap(({ ports }) => ports ?? [])).toEqual(['${GATEWAY_PORTS:-3000-3001}:3000']);
    expect(services['redis']!.command!.join(' ')).toMatch(/--maxmemory-policy noeviction --appendonly yes/);
  });
});

/** A possible output of `openssl rand -hex 32`. */
const OWN_SECRET = 'b3d1c0e9f4a85276138f5ce2a7094bd6';

/** The variables that both kinds of process need: the stores, and the encryption key. */
const STORES = ['DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY'];
const SHARED_SECRETS = [
  ...STORES,
  'EVIDENCE_S3_KEY_ID',
  'EVIDENCE_S3_SECRET',
  'PROBE_SIGNING_KEY',
  'SECRETS_KEY_FORMER',
].toSorted();

/** Variables that contain a secret, or may: providers of nodes and facilitators put a key in the URL. */
function secretsIn(environment: Readonly<Record<string, unknown>>): readonly string[] {
  const secret = /KEY|SECRET|PASSWORD|AUTH|CDP_|_URL(?:_\d+)?$/;
  return Object.keys(environment)
    .filter((name) => secret.test(name) && name !== 'PUBLIC_BASE_URL')
    .sort();
}

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly securityContext: unknown;
  readonly envFrom?: readonly { readonly configMapRef?: Named; readonly secretRef?: Named }[];
  readonly env?: readonly { readonly name: string }[];
}

interface Named {
  readonly name: string;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly replicas?: number;
    readonly triggers?: readonly {
      readonly type: string;
      readonly authenticationRef?: Named;
      readonly metadata: { readonly query: string };
    }[];
    readonly secretTargetRef?: readonly { readonly parameter: string; readonly name: string; readonly key: string }[];
    readonly template?: {
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number;
        readonly automountServiceAccountToken?: boolean;
        readonly initContainers: readonly Container[];
        readonly containers: readonly (Container & {
          readonly livenessProbe?: unknown;
          readonly readinessProbe?: unknown;
        })[];
      };
    };
  };
}

describe('the Kubernetes manifests', () => {
  const folder = 'deploy/kubernetes';
  const { resources } = load(read(join(folder, 'kustomization.yaml'))) as { resources: readonly string[] };
  const manifests = resources.flatMap((file) =>
    loadAll(read(join(folder, file))).map((document) => document as Manifest),
  );
  const find = (kind: string, name: string) =>
    manifests.find((one) => one.kind === kind && one.metadata.name === name)!;

  /** All variables of a deployment's container. */
  const environmentOf = (part: string): Record<string, string> => {
    const [container] = find('Deployment', part).spec!.template!.spec.containers;
    const sources = container!.envFrom!.map(({ configMapRef, secretRef }) =>
      configMapRef ? find('ConfigMap', configMapRef.name).data : find('Secret', secretRef!.name).stringData,
    );
    return Object.assign({}, ...sources) as Record<string, string>;
  };

  it('are all listed', () => {
    const files = readdirSync(folder).filter((file) => file !== 'kustomization.yaml');
    expect([...resources].sort()).toEqual(files.sort());
  });

  it('contain a valid configuration', () => {
    for (const part of ['gateway', 'worker'] as const) {
      const printed = environmentOf(part);
      expect(VARIABLES).toEqual(expect.arrayContaining(Object.keys(printed)));
      const ofExamples = Object.keys(printed).filter((name) => /change-me|^0x0+1$/.test(printed[name]!));
      for (const name of ofExamples) expect(() => loadConfig(printed)).toThrow(name);
      const own = Object.entries(printed).map(([name, value]) => [
        name,
        value.replace(/^0x0+1$/, `0x${OWN_SECRET.slice(0, 8)}${OWN_SECRET}`).replace(/(?:change-me-?)+/, OWN_SECRET),
      ]);
      expect(loadConfig(Object.fromEntries(own) as Record<string, string>)).toMatchObject({
        production: true,
        monitor: { port: 9464 },
        ...(part === 'gateway' && { drainMs: 10_000 }),
      });
    }
  });

  it('give workers none of the gateway secrets, and no process a cluster token', () => {
    expect(secretsIn(environmentOf('worker'))).toEqual(STORES);
    expect(secretsIn(environmentOf('gateway')).length).toBeGreaterThan(STORES.length);
    const pods = manifests.flatMap(({ spec }) => (spec?.template ? [spec.template.spec] : []));
    expect(pods.map(({ automountServiceAccountToken }) => automountServiceAccountToken)).toEqual([false, false]);
  });

  it.each(['gateway', 'worker'] as const)('migrate the database before the %s starts, with only its URL', (part) => {
    const { initContainers, containers } = find('Deployment', part).spec!.template!.spec;
    const [{ command, env, envFrom, securityContext }] = initContainers as [Container];
    expect(command).toEqual(['node', 'dist/libs/storage/src/database/migrate-main.js']);
    expect([env!.map(({ name }) => name), envFrom]).toEqual([['DATABASE_URL'], undefined]);
    expect(securityContext).toEqual(containers[0]!.securityContext);
  });

  it.each(['gateway', 'worker'] as const)(
    'leave more memory than the heap of the %s, and its replica count to the autoscaler',
    (part) => {
      const { replicas, template } = find('Deployment', part).spec!;
      const heapMb = Number(/--max-old-space-size=(\d+)/.exec(MEMORY_SETTINGS['NODE_OPTIONS']!)![1]);
      expect(Number.parseInt(template!.spec.containers[0]!.resources.limits.memory, 10)).toBeGreaterThan(heapMb + 256);
      expect(replicas).toBeUndefined();
      const scaled = manifests.flatMap(({ kind, spec }) => (/ScaledObject|Autoscaler/.test(kind) ? [spec] : []));
      expect(scaled.map((spec) => (spec as { scaleTargetRef?: Named }).scaleTargetRef?.name)).toContain(part);
    },
  );

  it('use the image of a published release', () => {
    const { images } = load(read(join(folder, 'kustomization.yaml'))) as {
      images: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[];
    };
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(images).toEqual([{ name: 'hostprobe', newName: expect.stringContaining('/'), newTag: version }]);
    const pods = manifests.flatMap(({ spec }) => (spec?.template ? [spec.template.spec] : []));
    for (const { image } of pods.flatMap((pod) => [...pod.initContainers, ...pod.containers]))
      expect(image).toBe('hostprobe');
  });

  it.each(['gateway', 'worker'] as const)('check the health of the %s and give it time to stop', (part) => {
    const { terminationGracePeriodSeconds, containers } = find('Deployment', part).spec!.template!.spec;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(LONGEST_STOP_SEC[part] + (part === 'gateway' ? 10 : 0));
    expect(containers[0]!.command.at(-1)).toBe(`dist/apps/${part}/src/main.js`);
    for (const probe of [containers[0]!.livenessProbe, containers[0]!.readinessProbe]) {
      expect(probe).toMatchObject({ httpGet: { port: 'metrics' } });
    }
  });

  it('scale workers by the waiting time of buyers in the queue', async () => {
    const [trigger] = find('ScaledObject', 'worker').spec!.triggers!;
    expect(namesIn(trigger!.metadata.query)).toEqual(['hostprobe_queue_oldest_wait_seconds']);
    expect(await series()).toContain('hostprobe_queue_oldest_wait_seconds');
  });
});
