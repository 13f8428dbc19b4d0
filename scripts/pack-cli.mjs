#!/usr/bin/env node
// Packs the command line as the npm package `hostprobe`: one file, without dependencies and install scripts. usage:
// node scripts/pack-cli.mjs [directory]; prints the path of the tarball. Build first.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleCli, engines, license, ROOT, version } from './bundle-cli.mjs';

const folder = mkdtempSync(join(tmpdir(), 'hostprobe-cli-'));
await bundleCli(folder);
copyFileSync(join(ROOT, 'apps/cli/README.md'), join(folder, 'README.md'));
const manifest = {
  name: 'hostprobe',
  version,
  // With this name, the MCP registry verifies that package and server.json have the same owner.
  mcpName: JSON.parse(readFileSync(join(ROOT, 'apps/cli/server.json'), 'utf8')).name,
  description: 'Probes a host for machine-facing commerce protocols from this machine.',
  keywords: ['x402', 'mcp', 'agents', 'payments'],
  license,
  repository: { type: 'git', url: 'git+https://github.com/hostprobe/hostprobe.git' },
  type: 'commonjs',
  engines,
  bin: { hostprobe: 'hostprobe.cjs' },
  files: ['hostprobe.cjs', 'LICENSES.txt'],
  publishConfig: { access: 'public', provenance: true },
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const to = resolve(process.argv[2] ?? '.');
mkdirSync(to, { recursive: true });
const [{ filename }] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', to], {
    cwd: folder,
    encoding: 'utf8',
  }),
);
rmSync(folder, { recursive: true });
process.stdout.write(`${join(to, filename)}\n`);
