// Runs docker-compose.yml of a folder on the engine of the proof, as an operator would.
import { writeFileSync } from 'node:fs';
import { docker } from './engine.mjs';

const PROJECT = 'hostprobe';
/** Time in nanoseconds, event, container. */
const EVENT = '{{.TimeNano}} {{.Action}} {{.Actor.Attributes.name}}';

export const writeVariables = (file, env) =>
  writeFileSync(
    file,
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    { mode: 0o600 },
  );

/** @param source the folder with the compose file @param file the env file */
export function stackOf(dir, source, file) {
  const compose = (args, options) =>
    docker(dir, ['compose', '-p', PROJECT, '--project-directory', source, '--env-file', file, ...args], options);
  const containers = async (service) => (await compose(['ps', '-q', service])).split('\n').filter(Boolean);
  return {
    compose,
    containers,
    up: (...args) => compose(['up', '-d', '--no-build', '--wait', ...args]),
    restart: (id) => docker(dir, ['restart', id]),
    /** Stops everything and deletes its data; returns how long each container took to stop. */
    async down() {
      const since = Date.now() / 1_000;
      await compose(['down', '-v']);
      const events = ['--filter', 'event=kill', '--filter', 'event=die', '--format', EVENT];
      const times = ['--since', String(since), '--until', String(Date.now() / 1_000)];
      const lines = (await docker(dir, ['events', ...times, ...events])).split('\n').map((line) => line.split(' '));
      const at = (name, action) => Number(lines.find((line) => line[1] === action && line[2] === name)?.[0] ?? NaN);
      const names = [...new Set(lines.filter(([, action]) => action === 'die').map(([, , name]) => name))];
      const seconds = names.map((name) => [name, (at(name, 'die') - at(name, 'kill')) / 1e9]);
      const slowest = seconds.filter(([, took]) => took > 0).sort(([, a], [, b]) => b - a);
      return { note: slowest.map(([name, took]) => `${name} ${took.toFixed(1)} s`).join(', ') };
    },
    /** One row of the database as text. */
    query: (sql) => compose(['exec', '-T', 'postgres', 'psql', '-U', 'hostprobe', '-Atc', sql]),
    /** Memory in MiB of each container, by name. */
    memory: async () =>
      (await docker(dir, ['stats', '--no-stream', '--format', '{{.Name}} {{.MemUsage}}']))
        .split('\n')
        .map((line) => /^(\S+) ([\d.]+)([KMG])iB/.exec(line))
        .filter(Boolean)
        .map(([, name, amount, unit]) => ({ name, mib: Math.round(amount * { K: 1 / 1024, M: 1, G: 1024 }[unit]) })),
  };
}
