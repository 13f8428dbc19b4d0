import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { leafHash, readBundle, rootOf, type IncludedLine } from '@app/evidence';
import { readHash } from '@app/signing';
import { BundleError } from '../packages/guard/src/verify-bundle';
import { StatementError, verifyStatement, type KeySet } from '../packages/guard/src/verify-statement';
import { changedVectors } from './support/changed-vectors';
import { rootOfPath } from './support/root-of-path';
import type { Vector } from './support/verify-vectors';
import { partOf } from './support/generated';

const FILE = 'docs/verify/vectors.json';
const published = JSON.parse(readFileSync(FILE, 'utf8')) as { keys: KeySet; cases: readonly Vector[] };

/** The number of one-byte changes to a statement and a bundle that are tried in each language. */
const CHANGES = partOf(10_000);

/** The number of forged statements, bundles and lines that every verifier gets. */
const FORGED = Number(process.env['FORGED'] ?? 600);

/** Whether a program and its requirements are installed; CI installs them. */
function runs(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const PYTHON = '/usr/bin/python3';
const VERIFIERS = [
  ['JavaScript', process.execPath, ['docs/verify/verify.mjs'], true],
  ['Python', PYTHON, ['docs/verify/verify.py'], runs(PYTHON, '-c', 'import jwt, cryptography')],
] as const;

interface StatementVector {
  readonly statement: string;
  readonly issuer: string;
  readonly origin: string;
  readonly now: number;
}

async function resultOf(vector: Vector): Promise<string> {
  const { kind, root } = vector as unknown as { kind: string; root: string };
  try {
    if (kind === 'statement') {
      const { statement, issuer, origin, now } = vector as unknown as StatementVector;
      await verifyStatement(statement, { issuer, keys: published.keys, subject: origin, now });
    } else if (kind === 'bundle') {
      await readBundle(Buffer.from(vector['bundle'] as string), readHash(root)?.toString('hex') ?? '');
    } else {
      const { line, index, size, path } = vector['line'] as IncludedLine;
      if (path.some((hash) => !/^[0-9a-f]{64}$/.test(hash))) return 'root';
      const hashes = path.map((hash) => Buffer.from(hash, 'hex'));
      return rootOfPath(leafHash(Buffer.from(line)), index, size, hashes)?.toString('hex') === root ? 'ok' : 'root';
    }
    return 'ok';
  } catch (error) {
    if (error instanceof BundleError || error instanceof StatementError) return error.code;
    throw error;
  }
}

/** A valid statement and a valid bundle, each with one byte changed. */
const CHANGED = fc
  .sample(fc.tuple(fc.constantFrom('a statement', 'a bundle'), fc.nat(), fc.integer({ min: 1, max: 255 })), {
    numRuns: CHANGES,
    seed: 20,
  })
  .map(([good, at, by]) => {
    const vector = published.cases.find(({ name }) => name === good)!;
    const bytes = Buffer.from(vector[vector.kind] as string);
    bytes[at % bytes.length]! ^= by;
    return { ...vector, [vector.kind]: bytes.toString() };
  });

/** A verifier's result for every case, by name. */
function answersOf(program: string, args: readonly string[], file: string): ReadonlyMap<string, string> {
  const { stdout, stderr } = spawnSync(program, [...args, 'vectors', file], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  expect(stderr).toBe('');
  return new Map([...stdout.matchAll(/^wrong: (\d+): (\w+)$/gm)].map(([, name, result]) => [name!, result!]));
}

describe('forged input', () => {
  const forged = changedVectors(FORGED, Number(process.env['FORGED_SEED'] ?? 20));
  const there = VERIFIERS.filter(([, , , isThere]) => isThere || process.env['CI'] !== undefined);

  it('gets the same result in every language, and is never accepted by one verifier only', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hostprobe-forged-'));
    const file = join(directory, 'vectors.json');
    writeFileSync(
      file,
      `{"keys":${JSON.stringify(published.keys)},"cases":[${forged.map(({ json }) => json).join()}]}`,
    );
    const answers = there.map(([language, program, args]) => [language, answersOf(program, args, file)] as const);
    rmSync(directory, { recursive: true });
    const [, first] = answers[0]!;
    expect(first.size).toBe(FORGED);
    expect(new Set(first.values()).size).toBeGreaterThan(10);
    for (const vector of forged) {
      const told = answers.map(([language, of]) => `${language}: ${of.get(vector.name)}`);
      const here = vector.kind === 'line' ? undefined : await resultOf(vector as unknown as Vector);
      const result = first.get(vector.name)!;
      const all = { told, vector };
      expect(all).toEqual({ told: answers.map(([language]) => `${language}: ${result}`), vector });
      // The service also checks that the lines form an exchange.
      if (vector.kind === 'statement') expect({ here, vector }).toEqual({ here: result, vector });
      if (vector.kind === 'bundle' && here !== 'malformed') expect({ here, vector }).toEqual({ here: result, vector });
    }
  });
});

describe('the published test vectors', () => {
  it.each(published.cases.map((vector) => [vector.name, vector] as const))(
    'are met by this service: %s',
    async (_, vector) => {
      expect(await resultOf(vector)).toBe(vector.expected);
    },
  );

  it('are rejected by this service with one byte changed', async () => {
    for (const vector of CHANGED) expect(await resultOf(vector)).not.toBe('ok');
  });

  for (const [language, program, args, there] of VERIFIERS) {
    // CI requires both programs; elsewhere a missing one is skipped.
    const maybe = there || process.env['CI'] !== undefined ? it : it.skip;
    const run = (file: string): string =>
      execFileSync(program, [...args, 'vectors', file], { encoding: 'utf8', stdio: 'pipe' });

    maybe(`are refused by the verifier in ${language} with one byte changed`, () => {
      const file = join(mkdtempSync(join(tmpdir(), 'hostprobe-changed-')), 'vectors.json');
      writeFileSync(file, JSON.stringify({ ...published, cases: CHANGED }));
      const { stdout } = spawnSync(program, [...args, 'vectors', file], { encoding: 'utf8', maxBuffer: 2 ** 28 });
      expect(stdout).toContain(`\n0 of ${CHANGES} vectors`);
    });

    maybe(`are read byte for byte by the verifier in ${language}`, () => {
      const directory = mkdtempSync(join(tmpdir(), 'hostprobe-bytes-'));
      const line = '{"prober":"\uFFFD","lines":1}';
      const results = [`${line}\n`, `\uFEFF${line}\n`, `${line}\n`.replace('\uFFFD', '\u00ff')].map((text, at) => {
        const file = join(directory, String(at));
        writeFileSync(file, text, at === 2 ? 'latin1' : 'utf8');
        return spawnSync(program, [...args, 'bundle', file, rootOf([line])], { encoding: 'utf8' }).stdout;
      });
      rmSync(directory, { recursive: true });
      expect(results).toEqual(['ok\n', 'malformed\n', 'malformed\n']);
    });

    maybe(`are not needed to learn the usage of the verifier in ${language}`, () => {
      for (const wrong of [[], ['bundle'], ['bundle', FILE], ['verify', FILE, 'x']]) {
        const { status, stdout, stderr } = spawnSync(program, [...args, ...wrong], { encoding: 'utf8' });
        expect([status, stdout]).toEqual([2, '']);
        expect(stderr).toContain('statement <statement> <keys.json> <issuer> <origin>');
      }
    });

    maybe(`hold for the verifier in ${language}, which refuses others`, () => {
      expect(run(FILE)).toBe(`${published.cases.length} of ${published.cases.length} vectors\n`);
      const wrong = join(mkdtempSync(join(tmpdir(), 'hostprobe-vectors-')), 'vectors.json');
      const cases = published.cases.map((one) => ({ ...one, expected: one.expected === 'ok' ? 'root' : 'ok' }));
      writeFileSync(wrong, JSON.stringify({ ...published, cases }));
      const { status, stdout } = spawnSync(program, [...args, 'vectors', wrong], { encoding: 'utf8' });
      expect(status).not.toBe(0);
      expect(stdout).toContain(`\n0 of ${cases.length} vectors`);
    });
  }
});
