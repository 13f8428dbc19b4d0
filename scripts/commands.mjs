// Shared code of commands that run specs.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** The positive numbers given as `--name N`, as text; `usual` has the defaults. Exits on invalid input. */
export function numbersAsked(command, usual) {
  const names = Object.keys(usual);
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', default: String(usual[name]) }]));
  try {
    const { values } = parseArgs({ options });
    if (names.every((name) => /^[1-9]\d{0,8}$/.test(values[name]))) return values;
  } catch {
    // An unknown option is an error too.
  }
  process.stderr.write(`usage: npm run ${command} -- ${names.map((name) => `[--${name} N]`).join(' ')}\n`);
  process.exit(2);
}

/** Runs the specs whose paths match a pattern. @returns the exit code */
export function runSpecs(project, pattern, env) {
  const args = ['jest', '--selectProjects', project, '--testPathPatterns', pattern];
  return spawnSync('npx', args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}
