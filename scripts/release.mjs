// Checks a release: `node scripts/release.mjs v1.2.3` checks that the tag, package.json and the newest section of
// CHANGELOG.md have the same version, and prints that section. Otherwise it exits with 1 and an explanation.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SECTION = /^## \[?([^\],\n]+)\]?(?:, (\d{1,2} [A-Z][a-z]+ \d{4}))?$/gm;

/** The sections of a changelog, newest first: `{ version, date, notes }`; an unreleased one has no date. */
export function sectionsOf(changelog) {
  const heads = [...changelog.matchAll(SECTION)];
  return heads.map((head, index) => ({
    version: head[1],
    date: head[2],
    notes: changelog.slice(head.index + head[0].length, heads[index + 1]?.index).trim(),
  }));
}

/** The notes of the release with this tag. @throws Error that describes the mismatch */
export function releaseNotes(tag, { changelog, version, kubernetes }) {
  const named = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  if (named === undefined)
    throw new Error(`${tag} is not a release tag: it must be v and three numbers, such as v1.2.3`);
  if (named !== version) throw new Error(`the tag is ${named} but package.json has ${version}: change one of them`);
  if (!kubernetes.includes(`newTag: ${named} `))
    throw new Error(`deploy/kubernetes/kustomization.yaml does not use ${named}: set newTag`);
  const [newest, ...rest] = sectionsOf(changelog).filter(({ notes }) => notes !== '');
  if (newest?.version !== named || newest.date === undefined)
    throw new Error(
      `CHANGELOG.md starts with ${newest?.version ?? 'nothing'}: name its first section "## ${named}, " and the day`,
    );
  if (rest.some((section) => section.version === named)) throw new Error(`CHANGELOG.md has ${named} twice`);
  return newest.notes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  try {
    const { version } = JSON.parse(read('package.json'));
    const kubernetes = read('deploy/kubernetes/kustomization.yaml');
    console.log(releaseNotes(process.argv[2] ?? '', { changelog: read('CHANGELOG.md'), version, kubernetes }));
  } catch (error) {
    console.error(`release: ${error.message}`);
    process.exitCode = 1;
  }
}
