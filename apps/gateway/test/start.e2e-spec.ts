import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

describe('a gateway that cannot start', () => {
  it('says why, and ends with code 1', async () => {
    const child = spawn(process.execPath, [resolve('dist/apps/gateway/src/main.js')], {
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: 'postgres://127.0.0.1:1/none', LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(said).toMatch(/^The gateway could not start: .*127\.0\.0\.1:1/m);
    expect(code).toBe(1);
  });
});
