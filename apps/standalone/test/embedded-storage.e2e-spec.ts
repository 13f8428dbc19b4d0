import { Redis } from 'ioredis';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres, type EmbeddedPostgres } from '../src/embedded/embedded-postgres';
import { startQueue } from '../src/embedded/embedded-queue';
import { isRunning, stopProcess } from '../src/embedded/process-mark';
import { stack } from '../../../test/support/stack';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'storage-'));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded Postgres', () => {
  let postgres: EmbeddedPostgres | undefined;

  afterEach(async () => {
    await postgres?.process.stop();
  });

  async function start(): Promise<EmbeddedPostgres> {
    postgres = await startPostgres({ dir });
    return postgres;
  }

  it('keeps its data and its password from one start to the next', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept (x int)');
    await first.process.stop();
    const second = await start();
    expect(await query(second.url, 'SELECT * FROM kept')).toEqual([]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
  });

  it('lets no client in without the password', async () => {
    const { url } = await start();
    const guessing = new URL(url);
    guessing.password = 'guessed';
    await expect(query(guessing.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect(statSync(join(dir, 'password')).mode & 0o777).toBe(0o600);
  });

  it('stops the process that a crash left running before it starts again', async () => {
    const orphan = await start();
    await query(orphan.url, 'CREATE TABLE kept (x int)');
    const next = await start();
    expect(isRunning(orphan.process.mark)).toBe(false);
    expect(await query(next.url, 'SELECT * FROM kept')).toEqual([]);
  });

  it('starts after a kill although its lock names a running process', async () => {
    const killed = await start();
    await stopProcess(killed.process.mark, 'SIGKILL', 5_000);
    const bystander = spawn('sleep', ['60']);
    try {
      writeFileSync(join(dir, 'cluster', 'postmaster.pid'), `${bystander.pid}\n${join(dir, 'cluster')}\n`);
      await expect(query((await start()).url, 'SELECT 1')).resolves.toHaveLength(1);
      expect(bystander.exitCode).toBeNull();
    } finally {
      bystander.kill();
    }
  });
});

describe('the embedded queue', () => {
  it('is null on a machine without redis-server', async () => {
    await expect(startQueue({ dir, path: dir })).resolves.toBeNull();
  });

  // The machine decides whether there is a Redis to test; global-setup prints a message when there is none.
  if (stack().redisUrl !== null) {
    it('evicts nothing, writes an append-only file and keeps its data', async () => {
      const options = { dir, path: process.env['PATH'] ?? '' };
      const first = (await startQueue(options))!;
      const client = new Redis(first.url);
      await client.set('kept', 'yes');
      expect(await client.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
      client.disconnect();
      await first.process.stop();
      const second = (await startQueue(options))!;
      const again = new Redis(second.url);
      expect(await again.get('kept')).toBe('yes');
      again.disconnect();
      await second.process.stop();
    });
  }
});
