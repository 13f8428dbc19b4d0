import fc from 'fast-check';
import { join } from 'node:path';
import { isObject, list, type JsonObject, type JsonValue } from '@app/detectors';
import { FIXTURES, fixtureFiles, reportOf, type Files, type FixtureHost } from './support/fixture-host';
import { partOf } from './support/generated';

/** The number of characters that fill a document. */
const CHARS = 128 * 1024;

/**
 * The limit for the processor time of one report in milliseconds, three times the usual time; how many times as much
 * members may cost as in a place that no protocol knows; and the cost of a small document.
 */
const [BOUND_MS, TIMES, SMALL_MS] = [600, 1.8, 60] as const;

const HOSTS = ['agent-keys', 'full-store', 'mcp-by-server-card', 'ucp-first-release', 'x402-first-version'] as const;

type Path = readonly (string | number)[];

/** Fillings for a list or an object of a document: as many members as fit, or one with a long name. */
const FILLINGS = {
  'empty objects': () => Array<JsonValue>(Math.floor(CHARS / 3)).fill({}),
  'short texts': () => Array<JsonValue>(CHARS / 4).fill('a'),
  'a list under a long name': () => ({ ['a'.repeat(CHARS / 2)]: Array<JsonValue>(CHARS / 8).fill('a') }),
  'short members': () => Object.fromEntries(Array.from({ length: Math.floor(CHARS / 10) }, (_, n) => [`a${n}`, {}])),
} as const satisfies Readonly<Record<string, () => JsonValue>>;
type Filling = keyof typeof FILLINGS;

interface Flood {
  readonly name: (typeof HOSTS)[number];
  readonly file: string;
  readonly path: Path;
  readonly filling: Filling;
}

/** The paths of every list and object in a document; inside a list, only those of its first item. */
function holdersIn(value: JsonValue, at: Path = []): readonly Path[] {
  if (Array.isArray(value)) return [at, ...(value.length > 0 ? holdersIn(value[0] as JsonValue, [...at, 0]) : [])];
  if (!isObject(value)) return [];
  return [at, ...Object.entries(value).flatMap(([name, item]) => holdersIn(item ?? null, [...at, name]))];
}

/** The document with members added to an object, or with the items of a list replaced, at a path. */
function filled(value: JsonValue, [step, ...rest]: Path, filling: JsonValue): JsonValue {
  if (step === undefined) {
    if (Array.isArray(value)) return list(filling) ?? [filling];
    return isObject(value) && isObject(filling) ? { ...value, ...filling } : filling;
  }
  if (Array.isArray(value)) return value.map((item: JsonValue, i) => (i === step ? filled(item, rest, filling) : item));
  if (!isObject(value)) return value;
  return { ...value, [step]: filled(value[step] ?? null, rest, filling) };
}

async function hostOf(name: string): Promise<FixtureHost> {
  return ((await import(join(FIXTURES, name, 'host.ts'))) as { host: FixtureHost }).host;
}

const floods: readonly Flood[] = HOSTS.flatMap((name) =>
  Object.entries(fixtureFiles(name)).flatMap(([file, text]) =>
    file.endsWith('.json')
      ? holdersIn(JSON.parse(text) as JsonValue).flatMap((path) =>
          (Object.keys(FILLINGS) as Filling[]).map((filling): Flood => ({ name, file, path, filling })),
        )
      : [],
  ),
);

const flood = (name: Flood['name'], file: string, path: Path, filling: Filling): Flood => ({
  name,
  file,
  path,
  filling,
});

/** The lowest of five measurements, or the first within the bound, because other programs slow some of them down. */
async function leastOf(measure: () => Promise<number>, bound: number): Promise<number> {
  let least = await measure();
  for (let more = 4; more > 0 && least > bound; more -= 1) least = Math.min(least, await measure());
  return least;
}

describe('a document with an array or object of tens of thousands of items', () => {
  async function costOf(host: FixtureHost, files: Files): Promise<number> {
    const before = process.cpuUsage();
    const { protocols } = await reportOf(host, files);
    const { user, system } = process.cpuUsage(before);
    expect(protocols.filter(({ details }) => details['reason'] === 'detector_failed')).toEqual([]);
    return (user + system) / 1_000;
  }

  /** The cost in a member of that document that no protocol knows. */
  const unknownMember = new Map<string, Promise<number>>();

  it('takes time in proportion to its length, wherever they are', async () => {
    expect(floods.length).toBeGreaterThan(300);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...floods), async ({ name, file, path, filling }) => {
        const host = await hostOf(name);
        const files = fixtureFiles(name);
        const document = JSON.parse(files[file] ?? '') as JsonObject;
        const [there, elsewhere] = [
          filled(document, path, FILLINGS[filling]()),
          { ...document, 'x-unknown': FILLINGS[filling]() },
        ].map((hostile): Files => ({ ...files, [file]: JSON.stringify(hostile) }));
        const key = `${name} ${file} ${filling}`;
        const base = unknownMember.get(key) ?? leastOf(() => costOf(host, elsewhere!), BOUND_MS / 4);
        unknownMember.set(key, base);
        expect(await base).toBeLessThanOrEqual(BOUND_MS);
        const bound = TIMES * (await base) + SMALL_MS;
        expect(await leastOf(() => costOf(host, there!), bound)).toBeLessThanOrEqual(bound);
      }),
      {
        numRuns: partOf(100),
        endOnFailure: true,
        examples: [
          [flood('agent-keys', 'keys.json', [], 'a list under a long name')],
          [flood('full-store', 'ucp.json', ['ucp', 'services', 'dev.ucp.shopping'], 'empty objects')],
          [flood('full-store', 'ucp.json', ['ucp', 'payment_handlers', 'com.example.lamppay'], 'empty objects')],
          [flood('ucp-first-release', 'ucp.json', ['ucp', 'capabilities'], 'empty objects')],
          [flood('mcp-by-server-card', 'server-card.json', ['remotes'], 'empty objects')],
        ],
      },
    );
  }, 120_000);
});
