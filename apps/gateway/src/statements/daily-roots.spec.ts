import { createHash, createPrivateKey } from 'node:crypto';
import fc from 'fast-check';
import { leafHash, rootOfPath } from '@app/evidence';
import { newSigningKey } from '@app/identity';
import { KeyRing, openJws, publicJwkOf } from '@app/statements';
import { DailyRoots } from './daily-roots';

const DAY = '2026-11-20';
const KEY = createPrivateKey(newSigningKey());
const PEM = KEY.export({ type: 'pkcs8', format: 'pem' }).toString();
const RING = new KeyRing([{ kid: 'one', pem: PEM, signsFrom: new Date(0), revokedAt: null, revokedReason: null }]);
const KEYS = { keys: [{ ...publicJwkOf(KEY), kid: 'one', use: 'sig' as const }] };

const statements = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) => createHash('sha256').update(String(at)).digest()).sort((a, b) =>
    a.compare(b),
  );

/** Roots over a log that is held in memory, and the questions asked of it. */
function rootsOver(log: Map<string, readonly string[]>) {
  const asked: string[] = [];
  const kept = new Map<string, string>();
  const roots = new DailyRoots({
    baseUrl: 'https://probe.example.com',
    keys: { ring: () => Promise.resolve(RING) },
    failed: (error) => {
      throw error;
    },
    rows: {
      issuedOn: (day) => (asked.push(`statements of ${day}`), Promise.resolve(log.get(day) ?? [])),
      root: (day) => (asked.push(`root of ${day}`), Promise.resolve(kept.get(day))),
      daysWithoutRoot: () => Promise.resolve([...log.keys()].filter((day) => !kept.has(day))),
      keepRoot: (day, token) => Promise.resolve(void kept.set(day, token)),
    },
  });
  return { roots, asked };
}

async function signed(log: Map<string, readonly string[]>) {
  const made = rootsOver(log);
  await made.roots.signDue();
  made.asked.length = 0;
  return made;
}

const logOf = (count: number) => new Map([[DAY, statements(count).map((hash) => hash.toString('hex'))]]);

describe('the root of a day', () => {
  it('is led to from every statement of that day', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), fc.nat(), async (count, at) => {
        const { roots } = await signed(logOf(count));
        const statement = statements(count)[at % count]!;
        const { root, inclusion } = (await roots.ofDay(DAY, statement))!;
        const { index, size, path } = inclusion!;
        const hashes = path.map((hash) => Buffer.from(hash, 'base64url'));
        const said = openJws(root, 'hostprobe-root+jwt', KEYS);
        expect(rootOfPath(leafHash(statement), index, size, hashes)?.toString('base64url')).toBe(said['root']);
        expect([index, size, said['n']]).toEqual([at % count, count, count]);
      }),
      { numRuns: 50 },
    );
  });

  it('is read once, however many ask for answers, at once and later', async () => {
    const { roots, asked } = await signed(logOf(300));
    const answers = await Promise.all(statements(300).map((statement) => roots.ofDay(DAY, statement)));
    expect(answers.filter((answer) => answer?.inclusion)).toHaveLength(300);
    expect(await roots.ofDay(DAY, Buffer.alloc(32))).toBeUndefined();
    expect(await roots.ofDay(DAY, undefined)).toEqual({ root: answers[0]!.root });
    expect(asked).toEqual([`root of ${DAY}`, `statements of ${DAY}`]);
  });

  it('costs no more than a question where there is none', async () => {
    const { roots, asked } = await signed(logOf(3));
    const [statement] = statements(1);
    expect(await Promise.all(['2026-11-21', '2026-13-01', 'x'].map((day) => roots.ofDay(day, statement)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(asked).toEqual(['root of 2026-11-21']);
  });

  it('leads nowhere when statements of the day were forgotten', async () => {
    const log = logOf(9);
    const { roots } = await signed(log);
    log.set(DAY, log.get(DAY)!.slice(1));
    expect(await roots.ofDay(DAY, statements(9)[5])).toBeUndefined();
    expect((await roots.ofDay(DAY, undefined))?.root).toMatch(/^ey/);
  });
});
