// Writes the golden reports of test/fixtures/hosts anew; review the diff.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('npx', ['jest', 'test/golden', '--selectProjects', 'unit'], {
  stdio: 'inherit',
  env: { ...process.env, REFRESH_FIXTURES: '1' },
});
process.exit(status ?? 1);
