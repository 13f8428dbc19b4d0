// What commands that run specs have in common.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** The numbers above zero that a command is given as `--name N`, as text; `usual` has those it takes without. A mistake ends it. */
export function numbersAsked(command, usual) {
  const names = Object.keys(usual);
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', default: String(usual[name]) }]));
  try {
    const { values } = parseArgs({ options });
    if (names.every((name) => /^[1-9]\d{0,8}$/.test(values[name]))) return values;
  } catch {
    // An option that is unknown is a mistake as well.
  }
  process.stderr.write(`usage: npm run ${command} -- ${names.map((name) => `[--${name} N]`).join(' ')}\n`);
  process.exit(2);
}

/** Runs the specs that a pattern of paths names. @returns the exit code */
export function runSpecs(project, pattern, env) {
  const args = ['jest', '--selectProjects', project, '--testPathPatterns', pattern];
  return spawnSync('npx', args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}
