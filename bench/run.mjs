// `npm run bench` measures every row of docs/performance.md, `npm run bench -- <row> ...` only some; `--json` prints
// JSON. Other files in bench/ print their own table: `npm run bench -- paywall`.
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { tableOf } from './measuring/figures.mjs';

/** In the order of the table. The row `million` fills a database for minutes, so it is only run by name. */
const ROWS =
  'warm not-modified statement cold challenge paywall guard hop refresh prober batch workers census memory cold-start';

const args = process.argv.slice(2);
const json = args.includes('--json');
const named = args.filter((arg) => !arg.startsWith('-'));
const fileOf = (name) => new URL(`./${name}.mjs`, import.meta.url);
if (named.some((name) => !/^[a-z-]+$/.test(name) || name === 'run' || !existsSync(fileOf(name)))) {
  process.stderr.write('usage: npm run bench [-- <name of a file in bench/> ...] [--json]\n');
  process.exit(2);
}
await import('../scripts/build-if-stale.mjs');

const say = (text) => (json ? undefined : process.stdout.write(text));
const results = [];
for (const name of named.length > 0 ? named : ROWS.split(' ')) {
  const { measure } = await import(fileOf(name).href);
  if (measure === undefined) continue; // measured and printed while loading
  const load = loadavg()[0];
  const started = performance.now();
  const findings = await measure();
  const seconds = (performance.now() - started) / 1_000;
  results.push({ row: name, load, seconds, findings });
  say(`${tableOf(findings)}${`  (${name}: ${seconds.toFixed(0)} s, load of the machine ${load.toFixed(1)})`}\n`);
}
if (json && results.length > 0) process.stdout.write(`${JSON.stringify(results)}\n`);
