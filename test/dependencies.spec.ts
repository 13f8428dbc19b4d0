import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const read = (path: string): string => readFileSync(path, 'utf8');
const manifest = (path: string): Manifest => JSON.parse(read(path)) as Manifest;
const OWN = manifest('package.json');
const SERVICES = Object.keys(OWN.dependencies!);
/** Stand-ins for third-party packages that nothing here calls. */
const STAND_INS = Object.entries(OWN.devDependencies!).filter(([, wanted]) => wanted.startsWith('file:'));

/** The generated database client. */
const GENERATED = 'libs/storage/src/generated/client.ts';

describe('the dependencies', () => {
  it('of the Prisma command line that nothing uses are replaced by empty packages of the same version', () => {
    expect(STAND_INS.length).toBeGreaterThan(0);
    for (const [name, from] of STAND_INS) {
      const { version, exports } = JSON.parse(read(`${from.slice('file:'.length)}/package.json`)) as {
        version: string;
        exports: Readonly<Record<string, string>>;
      };
      expect([name, manifest('node_modules/prisma/package.json').dependencies?.[name]]).toEqual([name, version]);
      expect(new Set(Object.values(exports))).toEqual(new Set(['./index.json']));
    }
    // A second version would be the real package again.
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, unknown>> };
    const names = STAND_INS.map(([name]) => `/node_modules/${name}`);
    expect(Object.keys(packages).filter((path) => names.some((name) => path.endsWith(name)))).toEqual([]);
  });

  it('of the services are exactly those that they import', () => {
    const files = execFileSync('git', ['ls-files', 'apps', 'libs'], { encoding: 'utf8' }).split('\n');
    const imported = [...files, GENERATED]
      .filter((path) => /^(?:apps\/(?:gateway|worker|cli)|libs\/[^/]+)\/src\/.*\.ts$/.test(path))
      .filter((path) => !/\.spec\.ts$/.test(path) && existsSync(path))
      .flatMap((path) =>
        [...read(path).matchAll(/(?:^(?:import|export)\b[^;']*?from |^import |import\()'([\w@][^']*)'/gm)].map(
          ([, name]) => name!,
        ),
      )
      .filter((name) => !name.startsWith('node:') && !name.startsWith('@app/'))
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    expect(new Set(imported).size).toBeGreaterThan(20);
    expect([...new Set(imported)].filter((name) => !SERVICES.includes(name))).toEqual([]);
  });

  it('of the services include no generator, compiler or engine, and the image contains only these', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Readonly<Record<string, { dev?: true; optional?: true; devOptional?: true; link?: true }>>;
    };
    const installed = Object.entries(packages)
      .filter(([path, { dev, optional, devOptional, link }]) => path && !dev && !optional && !devOptional && !link)
      .map(([path]) => path.split('node_modules/').at(-1)!);
    expect(installed).toEqual(expect.arrayContaining(SERVICES));
    const heavy =
      /^(?:prisma|typescript|effect|@swc\/.*|@prisma\/(?:engines|dev|studio-core|config)|@electric-sql\/.*|react.*)$/;
    expect(installed.filter((name) => heavy.test(name))).toEqual([]);
    expect(read('Dockerfile')).toContain('npm prune --omit=dev --omit=optional');
  });
});

describe('npm run trim', () => {
  it('removes source maps and files for other databases, and keeps what processes read', () => {
    const runtime = 'node_modules/@prisma/client/runtime';
    const kept = [`${runtime}/query_compiler_small_bg.postgresql.wasm-base64.js`, `${runtime}/client.js`, 'app.js.map'];
    const taken = [`${runtime}/query_compiler_small_bg.mysql.wasm-base64.js`, 'node_modules/viem/_cjs/index.js.map'];
    const folder = mkdtempSync(join(tmpdir(), 'trim-'));
    for (const path of [...kept, ...taken]) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    execFileSync('node', [resolve('scripts/trim.mjs')], { cwd: folder });
    expect([...kept, ...taken].filter((path) => existsSync(join(folder, path)))).toEqual(kept);
  });
});
