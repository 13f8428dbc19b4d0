import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { KEYS_PATH, type StatementMembers } from '@app/signing';

const TIMEOUT_MS = 30_000;
const COMMAND = resolve(__dirname, '../../cli/src/main.js');

/**
 * Verifies a report like an outsider: downloads the statement, the bundle and the report from their public URLs and
 * runs `hostprobe verify` on them.
 * @returns the result in one line
 * @throws if something does not match its signature
 */
export async function checkPublished(gatewayUrl: string, domain: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-check-'));
  try {
    const host = `${gatewayUrl}/api/v1/hosts/${domain}`;
    const fetched = async (name: string, url: string): Promise<string> => {
      const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!answer.ok) throw new Error(`${url} returned ${answer.status}`);
      writeFileSync(join(dir, name), Buffer.from(await answer.arrayBuffer()));
      return join(dir, name);
    };
    const statement = await fetched('statement.jwt', `${host}/statement`);
    const { evidence, report } = claimsIn(readFileSync(statement, 'utf8'));
    const bundle = await fetched('bundle.jsonl', `${host}/evidence/${evidence?.root}`);
    const text = await fetched('report.json', `${host}/reports/${report?.sha256}`);
    // Keys are saved to a file: the issuer is PUBLIC_BASE_URL, which may not lead here yet.
    const keys = await fetched('keys.json', `${gatewayUrl}${KEYS_PATH}`);
    const files = [bundle, '--statement', statement, '--keys', keys, '--report', text];
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, 'verify', '--json', ...files], {
      timeout: TIMEOUT_MS,
    });
    const { cells } = JSON.parse(stdout) as { cells: readonly { readonly result: string }[] };
    const same = cells.filter(({ result }) => result === 'same').length;
    const share = same === cells.length ? 'all' : `${same} of`;
    return `verified from public URLs: ${share} ${cells.length} results reproduced`;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The references in a statement, not yet verified; the command verifies them. */
function claimsIn(token: string): Pick<StatementMembers, 'evidence' | 'report'> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as StatementMembers;
}
