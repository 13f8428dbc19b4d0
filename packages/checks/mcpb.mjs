// Packs `hostprobe mcp` as a bundle for desktop clients (MCPB), with a server.json for the MCP registry that contains
// its hash. usage: npm run mcpb [-- directory]; prints the paths of both.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCli, ROOT, version } from '../../scripts/bundle-cli.mjs';

const MCPB = fileURLToPath(new URL('node_modules/@anthropic-ai/mcpb/dist/cli/cli.js', import.meta.url));
const RELEASES = 'https://github.com/hostprobe/hostprobe/releases/download';

/** Validates and packs with the official tool. @returns the paths of the bundle and of server.json */
export async function packMcpb(to) {
  const folder = mkdtempSync(join(tmpdir(), 'hostprobe-mcpb-'));
  mkdirSync(join(folder, 'server'));
  await bundleCli(join(folder, 'server'));
  copyFileSync(join(ROOT, 'apps/cli/manifest.json'), join(folder, 'manifest.json'));
  mkdirSync(to, { recursive: true });
  const bundle = join(to, `hostprobe-${version}.mcpb`);
  const mcpb = (...args) => execFileSync(process.execPath, [MCPB, ...args], { stdio: ['ignore', 2, 2] });
  mcpb('validate', join(folder, 'manifest.json'));
  mcpb('pack', folder, bundle);
  rmSync(folder, { recursive: true });
  const server = JSON.parse(readFileSync(join(ROOT, 'apps/cli/server.json'), 'utf8'));
  const { environmentVariables, transport } = server.packages[0];
  const listed = {
    registryType: 'mcpb',
    identifier: `${RELEASES}/v${version}/hostprobe-${version}.mcpb`,
    version,
    fileSha256: createHash('sha256').update(readFileSync(bundle)).digest('hex'),
    transport,
    environmentVariables,
  };
  const registry = join(to, 'server.json');
  writeFileSync(registry, `${JSON.stringify({ ...server, packages: [...server.packages, listed] }, null, 2)}\n`);
  return [bundle, registry];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of await packMcpb(resolve(process.argv[2] ?? 'dist/release'))) console.log(path);
}
