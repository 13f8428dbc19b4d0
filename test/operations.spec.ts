import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig, VARIABLES } from '@app/config';
import { GatewayMetrics } from '../apps/gateway/src/metrics/gateway-metrics';
import { observeServiceState } from '../apps/gateway/src/metrics/service-state';
import { MEMORY_SETTINGS } from '../apps/standalone/src/service-process';
import { WorkerMetrics } from '../apps/worker/src/metrics/worker-metrics';

const read = (path: string) => readFileSync(path, 'utf8');

/** The longest sale that a stopping gateway waits for, and the longest look of a worker, in seconds. */
const LONGEST_STOP_SEC = { gateway: 75, worker: 45 } as const;

/** Names of all series that gateway and worker have, and the labels each may be asked for. */
async function series(): Promise<ReadonlySet<string>> {
  const [gateway, worker] = [new GatewayMetrics().registry, new WorkerMetrics().registry];
  const never = () => Promise.reject(new Error('away'));
  const away = { counts: never };
  observeServiceState(gateway, {
    runs: { oldestWaitSec: never },
    pulses: { capacity: never },
    payments: { openByState: never },
    producers: { live: away, presence: away },
    facilitator: { state: never },
  });
  const families = (await Promise.all(
    [gateway, worker].map((registry) => registry.getMetricsAsJSON()),
  )) as unknown as readonly (readonly { readonly name: string; readonly type: string }[])[];
  return new Set(
    families
      .flat()
      .flatMap(({ name, type }) =>
        type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
  );
}

/** Metrics a query names. */
function namesIn(query: string): readonly string[] {
  return [...query.matchAll(/\b(?:hostprobe|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}

describe('what operators are given', () => {
  const { groups } = parse(read('docs/operations/alerts.yml')) as { groups: readonly { rules: readonly Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  const dashboard = JSON.parse(read('docs/operations/grafana-dashboard.json')) as {
    panels: readonly { title: string; targets: readonly { expr: string }[] }[];
  };
  const runbook = read('docs/operations/runbook.md');

  it('asks only for metrics that exist, in every alert and every panel', async () => {
    const known = await series();
    const queries = [...rules, ...dashboard.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
    for (const query of queries) {
      expect(namesIn(query)).not.toEqual([]);
      for (const name of namesIn(query)) expect([query, known.has(name)]).toEqual([query, true]);
    }
  });

  it('has a runbook entry for every alert, and no entry of an alert that is gone', () => {
    const headings = [...runbook.matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
    expect(rules.map(({ alert }) => alert).sort()).toEqual(headings.filter((name) => name !== 'Retention').sort());
    for (const { alert, annotations } of rules) expect(annotations.runbook).toBe(`runbook.md#${alert.toLowerCase()}`);
  });

  it('describes every metric of ours, and none that is gone', async () => {
    const own = [...(await series())].filter(
      (name) => /^hostprobe_/.test(name) && !/_(?:bucket|sum|count)$/.test(name),
    );
    const described = [...read('docs/operations/README.md').matchAll(/^\| `(hostprobe_\w+)`/gm)].map(
      ([, name]) => name,
    );
    expect(described.sort()).toEqual(own.sort());
  });

  it('puts every panel of the dashboard in a place of its own', () => {
    const titles = dashboard.panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('names only npm commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const [, name = ''] of runbook.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(name);
  });
});

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly environment?: Readonly<Record<string, unknown>>;
        readonly healthcheck?: { readonly test: readonly string[] };
        readonly deploy?: { readonly replicas: number };
        readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
        readonly networks: readonly string[];
        readonly ports?: readonly string[];
        readonly command?: readonly string[];
        readonly stop_grace_period?: string;
      }
    >
  >;
}

describe('what keeps gateway and worker small', () => {
  it('is the same in the image, beside npm start and in the commands of their own', () => {
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

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml');
  const { services } = parse(text, { merge: true }) as Compose;

  it('sets only variables that exist, and takes only such from the environment', () => {
    for (const part of ['gateway', 'worker', 'migrate']) {
      expect(VARIABLES).toEqual(expect.arrayContaining(Object.keys(services[part]!.environment!)));
    }
    const taken = [...text.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name);
    expect([...VARIABLES, 'POSTGRES_PASSWORD', 'GATEWAY_PORTS']).toEqual(expect.arrayContaining(taken));
  });

  it('gives every process a configuration it starts with', () => {
    for (const part of ['gateway', 'worker']) {
      const env = Object.entries(services[part]!.environment!).map(([name, value]) => [
        name,
        String(value).replace(/\$\{\w+:-([^}]*)\}/g, '$1'),
      ]);
      expect(loadConfig(Object.fromEntries(env) as Record<string, string>)).toMatchObject({
        production: true,
        monitor: { port: 9464 },
      });
    }
  });

  it('runs two gateways and two workers behind a health-checked order', () => {
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

  it('shows the stores and the metrics to nobody outside, and keeps every job of Redis', () => {
    for (const store of ['redis', 'postgres']) {
      expect([services[store]!.networks, services[store]!.ports]).toEqual([['inside'], undefined]);
    }
    expect(Object.values(services).flatMap(({ ports }) => ports ?? [])).toEqual(['${GATEWAY_PORTS:-3000-3001}:3000']);
    expect(services['redis']!.command!.join(' ')).toMatch(/--maxmemory-policy noeviction --appendonly yes/);
  });
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly triggers?: readonly { readonly metadata: { readonly query: string } }[];
    readonly template?: {
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number;
        readonly containers: readonly {
          readonly command: readonly string[];
          readonly livenessProbe?: unknown;
          readonly readinessProbe?: unknown;
        }[];
      };
    };
  };
}

describe('the Kubernetes manifests', () => {
  const folder = 'deploy/kubernetes';
  const { resources } = parse(read(join(folder, 'kustomization.yaml'))) as { resources: readonly string[] };
  const manifests = resources.flatMap((file) =>
    parseAllDocuments(read(join(folder, file))).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Manifest;
    }),
  );
  const find = (kind: string, name: string) =>
    manifests.find((one) => one.kind === kind && one.metadata.name === name)!;

  it('are all listed', () => {
    const files = readdirSync(folder).filter((file) => file !== 'kustomization.yaml');
    expect([...resources].sort()).toEqual(files.sort());
  });

  it('hold a configuration the service starts with', () => {
    const env = { ...find('ConfigMap', 'hostprobe').data, ...find('Secret', 'hostprobe').stringData };
    expect(VARIABLES).toEqual(expect.arrayContaining(Object.keys(env)));
    expect(loadConfig(env)).toMatchObject({ production: true, monitor: { port: 9464 }, drainMs: 10_000 });
  });

  it.each(['gateway', 'worker'] as const)('watch the %s and give it time to stop', (part) => {
    const { terminationGracePeriodSeconds, containers } = find('Deployment', part).spec!.template!.spec;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(LONGEST_STOP_SEC[part] + (part === 'gateway' ? 10 : 0));
    expect(containers[0]!.command.at(-1)).toBe(`dist/apps/${part}/src/main.js`);
    for (const probe of [containers[0]!.livenessProbe, containers[0]!.readinessProbe]) {
      expect(probe).toMatchObject({ httpGet: { port: 'metrics' } });
    }
  });

  it('scale workers by how long the queue makes a buyer wait', async () => {
    const [trigger] = find('ScaledObject', 'worker').spec!.triggers!;
    expect(namesIn(trigger!.metadata.query)).toEqual(['hostprobe_queue_oldest_wait_seconds']);
    expect(await series()).toContain('hostprobe_queue_oldest_wait_seconds');
  });
});
