import { check, type Diagnostics } from 'recheck';
import { patternsOf, programPatterns } from './support/patterns';

/**
 * Reading a stranger's text must take time in proportion to its length, so no pattern of the program may backtrack: a
 * pattern whose worst case grows faster would block a judging thread or a gateway for seconds. The checker analyzes the
 * automaton of the pattern, or counts the steps for texts that it generates from the pattern. It measures no time, so
 * the same pattern always gets the same result.
 */
const WITHOUT_TIME = {
  timeout: null,
  incubationTimeout: null,
  attackTimeout: null,
  seedingTimeout: null,
  maxNFASize: 3_000,
  // The generations of texts that the checker breeds; it finds the planted patterns below in fewer.
  maxIteration: 3,
  maxInitialGenerationSize: 100,
} as const;

/** Built from our own routes at start: a few names between slashes. */
const OF_OUR_ROUTES = /^apps\/gateway\/src\/(?:http\/allowed-methods|pages\/error-pages)\.ts:/;

const complexity = async (source: string, flags: string): Promise<Diagnostics['status']> =>
  (await check(source, flags, WITHOUT_TIME)).status;

describe('the regular expressions of the program', () => {
  const patterns = programPatterns();

  it('are found', () => {
    expect(patterns.length).toBeGreaterThan(200);
  });

  it('are constants, so that they can be checked', () => {
    expect(patterns.filter(({ at, source }) => source === undefined && !OF_OUR_ROUTES.test(at))).toEqual([]);
  });

  it('take linear time for any text', async () => {
    const known = new Map<string, Promise<Diagnostics['status']>>();
    const slow = patterns.map(async ({ at, source, flags }) => {
      if (source === undefined) return [];
      const key = `/${source}/${flags}`;
      const status = known.get(key) ?? complexity(source, flags);
      known.set(key, status);
      return (await status) === 'safe' ? [] : [`${at} /${source}/`];
    });
    expect((await Promise.all(slow)).flat()).toEqual([]);
  });
});

describe('a pattern that backtracks', () => {
  it.each([
    ['<title[^>]*>([^<]{1,200})<\\/title>', 'i'],
    ['^\\s*-? *url: +', ''],
    ['^(a+)+$', ''],
    ['^[a-z0-9.-]{1,253}:\\d{1,5}(?:[a-z]+)+$', ''],
    ['^0x(?:[0-9a-f]{2}){1,4096}\\s*x?\\s*$', ''],
    ['\\/+$', ''],
    ['\\s#.*$', ''],
  ])('is detected: /%s/%s', async (source, flags) => {
    expect(await complexity(source, flags)).toBe('vulnerable');
  });

  it('is found if it is built from constants', () => {
    const source = "const A = 'a+'; const B = `(?:${A})+`; export const C = new RegExp(`^${B}$`, 'i');";
    expect(patternsOf('x.ts', source)).toEqual([{ at: 'x.ts:1', source: '^(?:a+)+$', flags: 'i' }]);
  });

  it('is not treated as constant if it depends on run time values', () => {
    const source = 'export const of = (word: string) => RegExp(`^${word}$`);';
    expect(patternsOf('x.ts', source)).toEqual([{ at: 'x.ts:1', source: undefined, flags: '' }]);
  });
});
