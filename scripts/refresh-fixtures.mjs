// Writes the golden reports of test/fixtures/hosts, docs/protocols.md, docs/verify/vectors.json and the networks of the guard
// anew; review the diff.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  'npx',
  ['jest', '--selectProjects', 'unit', '--testPathPatterns', 'test/(golden|protocols|verify-vectors|network-tables)'],
  {
    stdio: 'inherit',
    env: { ...process.env, REFRESH_FIXTURES: '1' },
  },
);
process.exit(status ?? 1);
