import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptSecret } from './private-file';

describe('a secret that is kept for the next start', () => {
  it('is readable only by its owner, and the same the next time', () => {
    const dir = mkdtempSync(join(tmpdir(), 'kept-'));
    try {
      const path = join(dir, 'keys', 'secrets.key');
      const made = keptSecret(path);
      expect(made.length).toBeGreaterThanOrEqual(32);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(keptSecret(path)).toBe(made);
      expect(readFileSync(path, 'utf8').trim()).toBe(made);
      expect(keptSecret(join(dir, 'keys', 'other.key'))).not.toBe(made);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
