import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { challengeName } from '@app/owners';
import { askEach } from '@app/probing';
import { startDemoFolder, type DemoFolder } from './demo-folder';

const BUDGET_MS = 5_000;
const dir = mkdtempSync(join(tmpdir(), 'demo-folder-'));
const publish = (path: string, content: string): void => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
};
let folder: DemoFolder;
const recordsOf = async (name: string): Promise<readonly string[] | undefined> =>
  (await askEach({ type: 'TXT', name }, [folder.resolver], BUDGET_MS))[0]?.records;

beforeAll(async () => {
  folder = await startDemoFolder(['a.example.com', 'b.example.com'], dir);
});
afterAll(() => folder.stop());

describe('a file that a visitor publishes for a demo host', () => {
  it('is served as soon as it is written, for that host only', async () => {
    const record = (name: string) => recordsOf(challengeName(name));
    const file = (name: string) => folder.file(name, '/.well-known/hostprobe-claim.txt');
    expect([await record('a.example.com'), file('a.example.com')]).toEqual([[], undefined]);
    publish('a.example.com/dns.txt', 'token=1f expiry=never\n');
    publish('a.example.com/.well-known/hostprobe-claim.txt', '1f\n');
    expect(await record('A.example.com')).toEqual(['token=1f expiry=never']);
    expect(file('a.example.com')).toMatchObject({ status: 200, body: '1f' });
    expect([await record('b.example.com'), file('b.example.com')]).toEqual([[], undefined]);
  });

  it('is served under no other name and from no other folder', async () => {
    publish('dns.txt', 'token=2f');
    publish('c.example.com/dns.txt', 'token=2f');
    const names = [
      'a.example.com',
      challengeName('c.example.com'),
      challengeName('..'),
      challengeName('a.example.com/..'),
    ];
    expect(await Promise.all(names.map(recordsOf))).toEqual([[], [], [], []]);
  });

  it('is not served at a path outside the folder, and the record is not served at all', () => {
    publish('b.example.com/deep/er.txt', 'b');
    publish('outside.txt', 'outside');
    expect(folder.file('b.example.com', '/deep/er.txt')).toMatchObject({ body: 'b' });
    const paths = ['/../outside.txt', '/deep/../../outside.txt', '/deep/..', '/.', '/', '//', '/deep', '', '/%2e%2e/x'];
    expect(paths.map((path) => folder.file('b.example.com', path))).toEqual(paths.map(() => undefined));
    expect(folder.file('a.example.com', '/dns.txt')).toBeUndefined();
  });
});
