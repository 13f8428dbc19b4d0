import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Packs a package and its dependencies, and installs them in an empty folder without a network.
 * @param needs folders of packages in `node_modules`
 * @returns the folder
 */
export function installedPackage(path: string, needs: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'installed-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const to = ['--silent', '--pack-destination', folder];
  const packed = [
    npm(path, 'pack', ...to),
    ...needs.map((name) => npm(resolve('node_modules', name), 'pack', '--ignore-scripts', ...to)),
  ].map((said) => join(folder, said.trim().split('\n').at(-1) ?? ''));
  npm(folder, 'install', '--silent', '--offline', '--no-audit', '--no-fund', ...packed);
  return folder;
}

/** The output of a program in a folder. It is asynchronous, because servers of a test run in this process. */
export function runIn(folder: string, name: string, source: string): Promise<string> {
  writeFileSync(join(folder, name), source);
  return new Promise((done, failed) => {
    execFile(process.execPath, [name], { cwd: folder }, (error, out, err) => {
      if (error) failed(new Error(err));
      else done(out.trim());
    });
  });
}
