// npm run mutants -- guards|rules [part of a name or file]: breaks each guard by changing one line in a copy of the
// tree, or removes each rule of payment options and clients, and expects the specs to fail.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [list, word = ''] = process.argv.slice(2);
if (list !== 'guards' && list !== 'rules') {
  console.error('usage: npm run mutants -- guards|rules [part of a name or file]');
  process.exit(2);
}
const copy = mkdtempSync(join(tmpdir(), 'hostprobe-mutants-'));
const SKIPPED = /^(?:compat\/node_modules|node_modules|\.git|\.data|coverage)$/;

/** A mutation for each match of a pattern in a file; `from` has the whole text of the file. */
function eachIn(file, pattern, put, specs) {
  const from = readFileSync(file, 'utf8');
  return [...from.matchAll(pattern)].map((found) => {
    const { index } = found;
    const line = from.slice(0, index).split('\n').length;
    const to = from.slice(0, index) + put(found) + from.slice(index + found[0].length);
    return { guard: `line ${line}: ${from.split('\n')[line - 1].trim()}`, file, from, to, specs };
  });
}

const nothing = () => '';

/** Mutations in which a client rule never applies. */
function rulesOfClients() {
  const folder = 'libs/detectors/src/payment/clients';
  const isCalled = /^ +(?:member|address|only)\(.*\),\n|^ +[A-Z_]{4,},\n/gm;
  return readdirSync(folder).flatMap((name) => {
    const file = `${folder}/${name}`;
    const written = eachIn(file, /(?<!readonly )\bstops:(?= |\n)/g, () => 'stops: () => false, was:', 'test/compat');
    const called = eachIn(file, isCalled, nothing, 'test/compat');
    return [...written, ...called.filter(({ from, to }) => !isImport(from, to))];
  });
}

/** Whether the removed text is part of an import. */
function isImport(from, to) {
  const index = [...from].findIndex((sign, i) => sign !== to[i]);
  return /import \{[^}]*$/.test(from.slice(0, index));
}

/** Patterns of one-line rules for payment options: a code with its condition, or a requirement of a scheme. */
const RULE_LINES = [
  /^ +.*\? '[a-z\d_]+' : undefined,\n/gm,
  /^ +.*\(.*\? \['[a-z\d_]+'\] : \[\]\),\n/gm,
  /^ +if \(.*\) return (?:'[a-z\d_]+'|\['[a-z\d_]+'\]|\{ code: .*\});\n/gm,
  /^ +.* && '[a-z\d_]+',\n/gm,
  /^ +\w+Fault\(subject\),\n/gm,
  /^ +(?:deadline\('\w+'\)|[A-Z_]{4,}|\.\.\.DOMAIN),\n/gm,
  /^ +(?:needs|closed|otherMethod): '\w+',\n/gm,
];

/** Mutations without such a rule, and those in which a requirement always holds. */
function rulesOfOptions() {
  const folder = 'libs/detectors/src/payment';
  const specs = 'test/compat|detectors/src/payment/|(?:mpp|x402)\\.detector';
  return readdirSync(folder)
    .filter((name) => /^(?:x402|mpp)-(?!.*spec)/.test(name))
    .map((name) => `${folder}/${name}`)
    .flatMap((file) => [
      ...RULE_LINES.flatMap((line) => eachIn(file, line, nothing, specs)),
      ...eachIn(file, /(?<!readonly )\bholds:(?= |\n)/g, () => 'holds: () => true, was:', specs),
    ]);
}

/**
 * `{ guard, file, from, to, specs }`: a part of the text, its replacement, and a pattern of the specs that must fail;
 * specs with real backends are named `e2e-spec`.
 */
const MUTATIONS =
  list === 'rules'
    ? [...rulesOfClients(), ...rulesOfOptions()]
    : JSON.parse(readFileSync(new URL('guards.json', import.meta.url), 'utf8'));

/** A test that waits this long for an error that no longer occurs has failed. */
const HANGS_MS = 60_000;

/** The result of the specs. If the pattern matches no spec or the file does not compile, it counts as no test. */
function outcomeOf(specs) {
  const project = specs.includes('e2e-spec') ? 'e2e' : 'unit';
  const strictly = ['--bail', '--passWithNoTests', `--testTimeout=${HANGS_MS}`];
  const args = ['jest', '--selectProjects', project, ...strictly, '--testPathPatterns', specs];
  const { status, stderr } = spawnSync('npx', args, { cwd: copy, encoding: 'utf8' });
  if (status === 0) return /Tests: .*passed/.test(stderr) ? 'passed' : 'none';
  return /Tests: .*failed/.test(stderr) ? 'failed' : 'none';
}

try {
  cpSync('.', copy, { recursive: true, filter: (path) => !SKIPPED.test(path) });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const chosen = MUTATIONS.filter(({ guard, file }) => guard.includes(word) || file.includes(word));
  for (const specs of new Set(chosen.map(({ specs }) => specs))) {
    if (outcomeOf(specs) !== 'passed')
      throw new Error(`${specs} fail on the unmodified tree, so mutants cannot be judged`);
  }
  const survivors = [];
  for (const { guard, file, from, to, specs } of chosen) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${guard}: ${file} has no ${from}`);
    const broken = text.replace(from, () => to);
    writeFileSync(path, broken);
    const killed = outcomeOf(specs) === 'failed';
    writeFileSync(path, text);
    console.log(`${killed ? 'killed  ' : 'SURVIVES'}  ${guard} (${file})`);
    if (!killed) survivors.push(guard);
  }
  console.log(`${chosen.length - survivors.length} of ${chosen.length} killed`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
