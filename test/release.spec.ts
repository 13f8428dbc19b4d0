import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';

const RELEASED = {
  changelog: '## [Unreleased]\n\n## 1.2.0, 1 May 2027\n\n- It works.\n\n## 1.1.0, 1 April 2027\n\n- It began.\n',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostprobe-release-'));
  mkdirSync(join(folder, 'deploy/kubernetes'), { recursive: true });
  cpSync('scripts/release.mjs', join(folder, 'scripts/release.mjs'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the script for a tag in a folder with these documents and returns its output. */
function release(
  tag: string,
  { changelog, version = '1.2.0', image = '1.2.0' }: { changelog: string; version?: string; image?: string },
) {
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
  writeFileSync(join(folder, 'deploy/kubernetes/kustomization.yaml'), `  - { name: hostprobe, newTag: ${image} }\n`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/release.mjs'), tag], {
    encoding: 'utf8',
  });
  return { status, said: stdout.trim() || stderr.trim() };
}

describe('a release', () => {
  it('has the notes of its changelog section', () => {
    expect(release('v1.2.0', RELEASED)).toEqual({ status: 0, said: '- It works.' });
  });

  it.each([
    ['a tag that is not a version', 'v1.2', RELEASED, 'v1.2 is not a release tag'],
    ['a tag without v', '1.2.0', RELEASED, '1.2.0 is not a release tag'],
    ['a tag with a suffix', 'v1.2.0-rc.1', RELEASED, 'v1.2.0-rc.1 is not a release tag'],
    ['no tag', '', RELEASED, 'is not a release tag'],
    ['another version in package.json', 'v1.2.0', { ...RELEASED, version: '1.1.0' }, 'package.json has 1.1.0'],
    [
      'manifests of another version',
      'v1.2.0',
      { ...RELEASED, image: '1.2.01' },
      'kustomization.yaml does not use 1.2.0',
    ],
    ['an older version', 'v1.1.0', { ...RELEASED, version: '1.1.0', image: '1.1.0' }, 'starts with 1.2.0'],
    [
      'unreleased changes',
      'v1.2.0',
      { changelog: RELEASED.changelog.replace(']', ']\n\n- More.') },
      'starts with Unreleased',
    ],
    [
      'a section without a date',
      'v1.2.0',
      { changelog: RELEASED.changelog.replace(', 1 May 2027', '') },
      'starts with 1.2.0',
    ],
    [
      'two sections for the version',
      'v1.2.0',
      { changelog: RELEASED.changelog.replace('1.1.0', '1.2.0') },
      'has 1.2.0 twice',
    ],
    ['no sections', 'v1.2.0', { changelog: '# Changelog\n' }, 'starts with nothing'],
  ])('is refused with one sentence: %s', (_, tag, documents, sentence) => {
    const { status, said } = release(tag, documents);
    expect([status, said.split('\n').length]).toEqual([1, 1]);
    expect(said).toContain(sentence);
  });
});

interface Workflow {
  readonly on: { readonly push: { readonly tags: readonly string[] } };
  readonly jobs: {
    readonly publish: {
      readonly steps: readonly {
        readonly uses?: string;
        readonly run?: string;
        readonly with?: Readonly<Record<string, unknown>>;
      }[];
    };
  };
}

describe('the workflow of the image', () => {
  const { on, jobs } = load(readFileSync('.github/workflows/image.yml', 'utf8')) as Workflow;
  const { steps } = jobs.publish;

  it('publishes release tags for both processor types, with SBOM and provenance', () => {
    expect(on.push.tags).toEqual(['v*']);
    const check = steps.findIndex(({ run }) => run?.startsWith('node scripts/release.mjs "$GITHUB_REF_NAME"'));
    const build = steps.findIndex(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(build).toBeGreaterThan(check);
    expect(check).toBeGreaterThan(0);
    expect(steps[build]!.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      sbom: true,
      provenance: 'mode=max',
    });
  });

  it('builds platform-independent parts on the build platform', () => {
    expect(readFileSync('Dockerfile', 'utf8')).toMatch(
      /^FROM --platform=\$BUILDPLATFORM node:24-bookworm-slim AS build$/m,
    );
  });
});
