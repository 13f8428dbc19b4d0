// `npm run lines` counts the lines of tracked files, separately for sources, tests, scripts and documents, without
// generated files.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\n');
const inTest = (file) => /(^|\/)test\//.test(file);
const isGenerated = (file) => /(^|\/)generated\//.test(file);
const isTest = (file) => /spec\.m?[jt]s$/.test(file) || (inTest(file) && /\.(ts|mjs|cjs)$/.test(file));

const groups = {
  'apps + libs': (file) => /^(apps|libs)\/.*\.ts$/.test(file) && !isTest(file),
  tests: isTest,
  'scripts + bench': (file) =>
    /^(scripts|bench)\//.test(file) && !isTest(file) && (/\.[cm]js$/.test(file) || file === 'scripts/setup-compose'),
  'docs + README': (file) => /^(docs\/.*|README)\.md$/.test(file),
};

for (const [name, belongs] of Object.entries(groups)) {
  const texts = files.filter((file) => belongs(file) && !isGenerated(file)).map((file) => readFileSync(file, 'utf8'));
  console.log(`${name.padEnd(16)}${texts.reduce((lines, text) => lines + text.split('\n').length - 1, 0)}`);
}
