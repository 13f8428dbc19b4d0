import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { KEYS_PATH } from '@app/signing';

const TIMEOUT_MS = 30_000;
const COMMAND = resolve(__dirname, '../../cli/src/main.js');

/**
 * Verifies the report of a host like an outsider, with `hostprobe verify`.
 * @returns the result in one line
 * @throws if something does not match its signature
 */
export async function checkPublished(gatewayUrl: string, domain: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-check-'));
  try {
    // Keys are saved to a file: the issuer is PUBLIC_BASE_URL, which may not lead here yet.
    const keys = join(dir, 'keys.json');
    const answer = await fetch(`${gatewayUrl}${KEYS_PATH}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`${answer.url} returned ${answer.status}`);
    writeFileSync(keys, Buffer.from(await answer.arrayBuffer()));
    const args = ['verify', domain, '--json', '--url', gatewayUrl, '--keys', keys];
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...args], { timeout: TIMEOUT_MS });
    const { cells } = JSON.parse(stdout) as { cells: readonly { readonly result: string }[] };
    const same = cells.filter(({ result }) => result === 'same').length;
    const share = same === cells.length ? 'all' : `${same} of`;
    return `verified from public URLs: ${share} ${cells.length} results reproduced`;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
