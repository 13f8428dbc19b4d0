// Compares what the service says with test/oracle. `npm run oracle -- --write` writes the expected bytes anew: review the
// diff. It also tries every mutant of the fixtures.
import { spawnSync } from 'node:child_process';

const write = process.argv.includes('--write');
const { status } = spawnSync(
  'npx',
  ['jest', '--selectProjects', 'unit', '--testPathPatterns', write ? 'test/(oracle/|fixture-mutants)' : 'test/oracle/'],
  { stdio: 'inherit', env: { ...process.env, ...(write && { ORACLE: 'write' }) } },
);
process.exit(status ?? 1);
