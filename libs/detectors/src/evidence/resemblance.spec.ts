import fc from 'fast-check';
import { exchange, json, plain, type Reply } from '../../../../test/support/evidence';
import { fixtureFiles, fixtureNames } from '../../../../test/support/fixture-host';
import { say, seeded, varyingAnswer, type VaryingAnswer } from '../../../../test/support/varying-answers';
import { controlPaths } from './control';
import type { Answer } from './exchange';
import { anyPathAnswer } from './resemblance';
import { partOf } from '../../../../test/support/generated';

const ORIGIN = 'https://shop.example.com';
const PATHS = ['/llms.txt', '/openapi.json', '/.well-known/mcp', '/.well-known/http-message-signatures-directory'];

const answerAt = (path: string, reply: Reply): Answer => exchange('GET', ORIGIN + path, reply) as Answer;

/** The answers of a host with variable parts to the control pair, then to other paths. */
function sayings(varying: VaryingAnswer, seed: number, paths: readonly string[]): readonly Answer[] {
  const draw = seeded(seed);
  const nonce = Array.from({ length: 32 }, () => '0123456789abcdef'[Math.floor(draw() * 16)]).join('');
  return [...controlPaths(nonce), ...paths].map((path, count) =>
    answerAt(path, say(varying, { method: 'GET', url: new URL(path, ORIGIN) }, count, draw)),
  );
}

const DOCUMENTS = fixtureNames().flatMap((name) =>
  Object.entries(fixtureFiles(name))
    .filter(([file]) => /\.(?:json|txt|yaml)$/.test(file))
    .flatMap(([, text]) => (text.includes('"jsonrpc"') ? [] : [text])),
);

const shrug = varyingAnswer(
  ['Lamps of Exampleville', 'Nothing here', 'ok'],
  ['html', 'json', 'text', 'markdown', 'rpc', 'empty'],
);

describe('the catch-all answer', () => {
  it('is recognized even if parts of it vary', () => {
    fc.assert(
      fc.property(shrug, fc.nat(), (varying, seed) => {
        const [first, second, ...others] = sayings(varying, seed, PATHS) as [Answer, Answer, ...Answer[]];
        const known = anyPathAnswer([first, second]);
        expect(others.filter((answer) => !known(answer)).map(({ body }) => [first.body, second.body, body])).toEqual(
          [],
        );
      }),
      { numRuns: partOf(10_000) },
    );
  });

  it('is not confused with a document that differs in other parts', () => {
    fc.assert(
      fc.property(shrug, fc.nat(), fc.constantFrom(...DOCUMENTS), (varying, seed, text) => {
        const known = anyPathAnswer(sayings(varying, seed, []));
        expect(known(answerAt('/llms.txt', plain(text)))).toBe(false);
      }),
      { numRuns: partOf(10_000) },
    );
  });

  it.each([
    ['of the same members in another order', json({ ok: true, at: 1 }), json('{"at":2,"ok":false}'), true],
    ['with one member more', json({ ok: true }), json({ ok: true, x402Version: 2 }), false],
    ['of another status', json({ ok: true }), json({ ok: true }, { status: 203 }), false],
    ['empty, where others are', plain(''), plain(''), true],
    ['not empty, where others are', plain(''), plain('# Shop'), false],
    ['of another title', plain('# Home'), plain('# Shop'), false],
    [
      'a document under an error',
      json({ error: 'gone' }, { status: 403 }),
      json({ error: 'robots' }, { status: 403 }),
      false,
    ],
  ])('%s', (_, control, reply, expected) => {
    expect(anyPathAnswer([answerAt('/a.json', control)])(answerAt('/llms.txt', reply))).toBe(expected);
  });
});
