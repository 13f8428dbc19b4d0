import fc from 'fast-check';
import { acceptV2, base64, base64url, challengeV1, challengeV2 } from '../../../../test/support/challenges';
import { evidence, type Reply } from '../../../../test/support/evidence';
import { acp } from '../acp/acp.detector';
import type { Detector } from '../judgement/detector';
import { mpp } from '../mpp/mpp.detector';
import { tap } from '../tap/tap.detector';
import { x402 } from '../x402/x402.detector';

/** JSON whose members are those the detectors probe, with values of any type. */
const names = [
  'x402Version',
  'accepts',
  'resources',
  'keys',
  'payTo',
  'amount',
  'extra',
  'paths',
  'url',
  'protocol',
  '__proto__',
];
const document = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue(),
    tie('object'),
    fc.array(tie('object'), { maxLength: 3 }),
    fc.constantFrom(acceptV2(), challengeV1(), challengeV2()),
  ),
  object: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }),
})).value;
const body = fc.oneof(
  fc.string(),
  document.map((value) => JSON.stringify(value)),
  fc.constant('<!doctype html>window.x402 = {'),
);
const headerValue = fc.oneof(
  fc.string(),
  document.map(base64),
  document.map((value) => `Payment id="1", realm="r", method="tempo", intent="charge", request="${base64url(value)}"`),
  fc.string().map((text) => `Payment ${text}`),
);
const reply: fc.Arbitrary<Reply> = fc.record({
  status: fc.constantFrom(200, 301, 402, 402, 404, 429, 500),
  headers: fc.dictionary(
    fc.constantFrom('payment-required', 'x-payment', 'www-authenticate', 'content-type', 'location', 'crawler-price'),
    headerValue,
  ),
  body,
  truncated: fc.boolean(),
});

const PATHS = {
  x402: ['/', '/.well-known/x402', '/.well-known/x402.json', '/openapi.json', '/a'],
  mpp: ['/', '/openapi.json', 'POST /mcp {}'],
  tap: ['/.well-known/http-message-signatures-directory'],
  acp: ['/.well-known/acp.json'],
};

describe.each<readonly [keyof typeof PATHS, Detector]>([
  ['x402', x402],
  ['mpp', mpp],
  ['tap', tap],
  ['acp', acp],
])('%s on hostile input', (id, detector) => {
  it('neither throws nor wishes for what is not http', () => {
    fc.assert(
      fc.property(fc.array(reply, { minLength: PATHS[id].length, maxLength: PATHS[id].length }), (replies) => {
        const seen = evidence(Object.fromEntries(PATHS[id].map((path, index) => [path, replies[index]!])));
        const judgement = detector.judge(seen);
        detector.advise(judgement, seen);
        const wishes = [...(detector.followUps?.(seen) ?? []), ...(detector.exercises?.(seen) ?? [])];
        const distinct = new Set(wishes.map(({ method, url }) => `${method} ${seen.resolve(url)}`));
        return distinct.size <= 10 && wishes.every(({ url }) => seen.resolve(url) !== undefined && seen.sameSite(url));
      }),
      { numRuns: 150 },
    );
  });
});
