import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  afterAttempt,
  agreement,
  alertBody,
  ALERT_TYPES,
  answersChallenge,
  hasRoom,
  isTaken,
  newWebhookSecret,
  pauseSec,
  VERIFY_TYPE,
  waitSec,
  WAITS_SEC,
  WATCH_STATUSES,
  WATCHES_OF_HOST,
  WATCHES_OF_SITE,
  webhookHeaders,
  WebhookKeys,
} from '@app/owners';

const KEYS = new WebhookKeys('a secret of this test alone');
const ID = 'msg_0123456789abcdef';
const BASE = 'https://probe.example.com';
const CHANGES = {
  changes: [{ kind: 'version_changed', protocol: 'ucp', before: '2026-01-11', after: '2026-04-08' }],
  changesOmitted: 2,
} as const;
const now = (): number => Math.floor(Date.now() / 1_000);

describe('a signed alert', () => {
  const body = fc.string();
  const signed = (text: string, secrets: readonly string[], timestamp = now()): Record<string, string> => ({
    ...webhookHeaders({ id: ID, timestamp, body: text }, secrets, KEYS.signing),
  });

  it('is accepted by the Standard Webhooks library with each of its secrets, and with no other', () => {
    fc.assert(
      fc.property(body, (text) => {
        const [first, second, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
        const json = JSON.stringify({ text });
        const headers = signed(json, [first, second]);
        for (const secret of [first, second]) expect(new Webhook(secret).verify(json, headers)).toEqual({ text });
        expect(() => new Webhook(other).verify(json, headers)).toThrow();
        expect(() => new Webhook(first).verify(`${json} `, headers)).toThrow();
        expect(() => new Webhook(first).verify(json, signed(json, [first], now() - 600))).toThrow();
      }),
      { numRuns: 30 },
    );
  });

  it('has a signature that can be verified with the published key', () => {
    const json = '{"a":1}';
    const headers = signed(json, [newWebhookSecret()]);
    const [, own = ''] = /v1a,(\S+)/.exec(headers['webhook-signature']!) ?? [];
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: KEYS.published.signing }, format: 'jwk' });
    const content = Buffer.from(`${ID}.${headers['webhook-timestamp']}.${json}`);
    expect(verify(null, content, key, Buffer.from(own, 'base64'))).toBe(true);
    expect(verify(null, Buffer.from('other'), key, Buffer.from(own, 'base64'))).toBe(false);
  });

  it('contains the changes and the URL of the report, and stays under 20 KB for the longest name', () => {
    const domain = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example.com`;
    for (const type of ALERT_TYPES) {
      const alert = { id: ID, type, domain, at: new Date(0), seq: 41, coalesced: 3, subject: 'one', ...CHANGES };
      const text = alertBody(alert, BASE);
      const { data, ...rest } = JSON.parse(text) as { readonly data: object };
      expect(rest).toEqual({ type, timestamp: '1970-01-01T00:00:00.000Z' });
      expect(Object.keys(data)).toEqual(
        type === 'claim.lapsing'
          ? ['domain', 'claim']
          : ['domain', 'seq', 'coalesced', 'report', 'statement', 'changesUrl', 'changes', 'changesOmitted'],
      );
      if (type !== 'claim.lapsing') expect(data).toMatchObject(CHANGES);
      expect(text.length).toBeLessThan(2_000);
      expect(alertBody(alert, BASE)).toBe(text);
    }
  });
});

describe('worker keys', () => {
  it('are the same for the same secret, and agree only with keys generated for them', () => {
    const [same, other] = [new WebhookKeys('a secret of this test alone'), new WebhookKeys('another one')];
    expect(same.published).toEqual(KEYS.published);
    expect(other.published.kid).not.toBe(KEYS.published.kid);
    const { publicKey, shared } = agreement(KEYS.published.sealing);
    expect(same.agree(publicKey)).toEqual(shared);
    expect(other.agree(publicKey)).not.toEqual(shared);
  });
});

describe('the schedule', () => {
  it('has ten attempts at the times of the specification, each within 20 %', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (draw) => {
        const waits = WAITS_SEC.map((_, at) => waitSec(at + 1, 0, draw)!);
        waits.forEach((wait, at) => {
          expect(wait).toBeGreaterThan(WAITS_SEC[at]! * 0.8 - 0.001);
          expect(wait).toBeLessThan(WAITS_SEC[at]! * 1.2 + 0.001);
        });
        expect(waitSec(10, 0, draw)).toBeUndefined();
      }),
    );
    expect(WAITS_SEC.reduce((sum, wait) => sum + wait, 0)).toBe(75 * 3_600 + 35 * 60 + 5);
  });

  it('respects Retry-After up to a day, and pauses a minute after five failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.nat(1_000_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, asked, draw) => {
          expect(waitSec(failures, asked, draw)).toBeGreaterThanOrEqual(Math.min(asked, 86_400));
          expect(pauseSec(failures, asked)).toBe(Math.max(Math.min(asked, 86_400), failures >= 5 ? 60 : 0));
        },
      ),
    );
  });

  it('only counts 2xx as success', () => {
    expect([199, 200, 204, 299, 300, 301, 400, 410, 500].filter(isTaken)).toEqual([200, 204, 299]);
  });
});

describe('a watch after an attempt', () => {
  const DAY_MS = 86_400_000;
  const at = new Date('2026-11-22T12:00:00.000Z');
  const ended = { status: null, outcome: 'timeout', excerpt: '', waitSec: null };
  const after = (ms: number): Date => new Date(at.getTime() + ms);
  const standing = fc.record({
    state: fc.constantFrom(...WATCH_STATUSES),
    failures: fc.nat(20),
    failingSince: fc.option(fc.integer({ min: -10, max: 0 }).map((days) => after(days * DAY_MS))),
    pausedUntil: fc.option(fc.integer({ min: -100, max: 100 }).map((sec) => after(sec * 1_000))),
  });

  it('resets its failures after a success, and becomes active after the challenge', () => {
    fc.assert(
      fc.property(standing, fc.constantFrom(VERIFY_TYPE, ...ALERT_TYPES), fc.nat(10_000), (watch, type, ms) => {
        const attempt = { ...ended, taken: true, ms, pauseSec: 0, gone: false };
        const state = watch.state === 'pending' && type === VERIFY_TYPE ? 'active' : watch.state;
        const fresh = { failures: 0, failingSince: null, pausedUntil: null };
        expect(afterAttempt(watch, attempt, type, at)).toEqual({ ...fresh, state, slow: ms > 5_000 });
      }),
    );
  });

  it('pauses after a failure, never shorter than before, and ends if its receiver is gone or failed for five days', () => {
    fc.assert(
      fc.property(standing, fc.nat(100), fc.boolean(), (watch, pause, gone) => {
        const attempt = { ...ended, taken: false, ms: 1, pauseSec: pause, gone };
        const { failures, failingSince, pausedUntil, ...over } = afterAttempt(watch, attempt, 'host.changed', at);
        expect([failures, failingSince]).toEqual([watch.failures + 1, watch.failingSince ?? at]);
        for (const earlier of [watch.pausedUntil ?? at, after(pause * 1_000)])
          expect(pausedUntil!.getTime()).toBeGreaterThanOrEqual(earlier.getTime());
        const isLong = at.getTime() - failingSince!.getTime() > 5 * DAY_MS;
        const ends = gone || isLong ? { state: 'ended', reason: gone ? 'gone' : 'failing' } : {};
        expect(over).toEqual(ends);
      }),
    );
  });
});

describe('the limit of watches', () => {
  it.each(['free', 'bought'] as const)('applies to the host and to its site: %s', (price) => {
    const [ofHost, ofSite] = [WATCHES_OF_HOST[price], WATCHES_OF_SITE[price]];
    expect(hasRoom(price, { ofHost: ofHost - 1, ofSite: ofSite - 1 })).toBe(true);
    expect(hasRoom(price, { ofHost, ofSite: ofHost })).toBe(false);
    expect(hasRoom(price, { ofHost: 0, ofSite })).toBe(false);
  });
});

describe('a challenge', () => {
  it.each([
    ['c0ffee', true],
    [' c0ffee\n', true],
    ['{"challenge":"c0ffee"}', true],
    ['{"data":{"challenge":"c0ffee"}}', false],
    ['{"challenge":"other"}', false],
    ['"c0ffee"', false],
    ['ok', false],
    ['', false],
  ])('is answered by %j: %s', (answer, holds) => {
    expect(answersChallenge(answer, 'c0ffee')).toBe(holds);
  });
});
