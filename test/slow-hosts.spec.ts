import fc from 'fast-check';
import {
  DETECTOR_IDS,
  DETECTORS,
  findDetector,
  HostEvidence,
  judgeHost,
  REQUEST_BUDGET,
  text,
  type ProtocolCell,
} from '@app/detectors';
import { PROBE_LIMITS } from '@app/probing';
import { assembleFacts, isAnswer, paymentRails, payPreflight } from '@app/reports';
import { html, json, status } from './support/evidence';
import { probeInMemory, type MemoryProbe, type MemoryReply, type MemoryRequest } from './support/memory-host';
import { hostName } from './support/report';
import { behind, fixtureAnswer, fixtures, moves } from './support/moved-host';
import { unsentRows } from './support/unsent-rows';

type Answer = (request: MemoryRequest) => MemoryReply;

/** The documents that decide each protocol (behaviour 5): without all of them no absence is known. */
const DECIDING: Readonly<Record<string, readonly string[]>> = {
  ucp: ['/.well-known/ucp'],
  ap2: ['/.well-known/ucp', '/.well-known/agent-card.json'],
  tap: ['/.well-known/http-message-signatures-directory'],
  mcp: ['/.well-known/mcp.json', '/.well-known/mcp'],
  a2a: ['/.well-known/agent-card.json', '/.well-known/agent.json'],
  x402: ['/', '/.well-known/x402'],
  mpp: ['/'],
  llms: ['/llms.txt'],
  'ai-plugin': ['/.well-known/ai-plugin.json'],
  openapi: ['/openapi.json', '/.well-known/openapi.json'],
};

const answers = new Map<string, Answer>();
const prompt = new Map<string, readonly ProtocolCell[]>();
const judged = (seen: MemoryProbe) => judgeHost(DETECTORS, new HostEvidence(seen));

beforeAll(async () => {
  answers.set('bare', ({ url }) => (url.pathname === '/' ? html() : status(404)));
  for (const name of fixtures) answers.set(name, await fixtureAnswer(name));
  for (const [name, answer] of answers) prompt.set(name, judged(await probeInMemory(answer, {})).cells);
});

function expectHonest(name: string, seen: MemoryProbe): void {
  const { cells, tooSlow } = judged(seen);
  for (const cell of cells) {
    const { status: now } = cell;
    const was = prompt.get(name)!.find(({ id }) => id === cell.id)!.status;
    const said = `${cell.id}: ${was} became ${now} ${text(cell.details['reason']) ?? ''}`;
    const deciding = DECIDING[cell.id] ?? [];
    const reached = deciding.every((path) => seen.exchanges.some((e) => new URL(e.url).pathname === path));
    if (now === 'absent') expect([reached, said]).toEqual([true, said]);
    // Without its home page or its controls, the meaning of a 403 or a redirect at this host is unknown.
    if (now === 'error' && was !== 'error') expect(said).toMatch(/ (?:not_reached|timeout|forbidden|refused)$/);
    if (now === 'present') expect(said).toMatch(/present became/);
  }
  expect(unsentRows(cells, seen)).toEqual([]);
  const missed = cells.filter(({ details }) => details['reason'] === 'not_reached').length;
  if (missed > 4) expect(tooSlow).toBe(true);
  if (missed === 0 && seen.stoppedBy === null) expect(tooSlow).toBe(false);
  for (const phase of ['presence', 'callability', 'signals'] as const) {
    expect(seen.exchanges.filter((e) => e.phase === phase).length).toBeLessThanOrEqual(REQUEST_BUDGET[phase]);
  }
  expect(seen.log.length).toBeLessThanOrEqual(PROBE_LIMITS.requests);
}

const latencies = fc.oneof(
  fc.integer({ min: 0, max: 6_000 }).map((ms) => () => ms),
  fc.array(fc.integer({ min: 0, max: 6_000 }), { minLength: 3, maxLength: 12 }).map((list) => {
    let turn = 0;
    return () => list[(turn += 1) % list.length]!;
  }),
);

describe('a slow host', () => {
  it('has no absence without a request, no unsent evidence, and no more requests than a fast one', async () => {
    const names = fc.constantFrom('bare', ...fixtures);
    await fc.assert(
      fc.asyncProperty(names, fc.option(moves, { nil: undefined }), latencies, async (name, move, latency) => {
        const answer = answers.get(name)!;
        const hosted = move ? behind(move, answer) : answer;
        const seen = await probeInMemory((request) => ({ ...hosted(request), latencyMs: latency() }), {});
        expectHonest(name, seen);
      }),
      { numRuns: 100 },
    );
  });

  it('with three seconds per answer still gets all deciding requests', async () => {
    const seen = await probeInMemory((request) => ({ ...answers.get('bare')!(request), latencyMs: 3_000 }), {});
    const { cells, tooSlow } = judged(seen);
    expect(cells.filter(({ status: now }) => now === 'error')).toEqual([]);
    expect(tooSlow).toBe(false);
  });

  it('with seven seconds per answer is too slow to be sold, unless it never answers, which is a result', async () => {
    const slow = (from: number): Answer => {
      let asked = 0;
      return (request) => ({ ...answers.get('bare')!(request), latencyMs: (asked += 1) > from ? 4_900 : 10 });
    };
    expect(judged(await probeInMemory(slow(0), {}))).toMatchObject({ tooSlow: true });
    const dead = await probeInMemory(() => ({ ...status(404), latencyMs: 60_000 }), {});
    expect(judged(dead)).toMatchObject({ tooSlow: false });
    expect(dead.stoppedBy).toBe('timeout');
  });
});

describe('priced routes beyond the time or requests of a probe', () => {
  const manifest: Answer = ({ url }) => {
    if (url.pathname === '/') return html();
    const resources = ['/a', '/b', '/c'];
    return url.pathname === '/.well-known/x402' ? json({ x402Version: 2, resources }) : status(404);
  };

  it('are not reached, and a check that depends on them is not charged', async () => {
    const limits = fc.record({
      latencyMs: fc.constantFrom(0, 3_000, 3_200),
      requests: fc.integer({ min: 24, max: 40 }),
    });
    const reasons = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(limits, async ({ latencyMs, requests }) => {
        const seen = await probeInMemory((request) => ({ ...manifest(request), latencyMs }), { limits: { requests } });
        const asked = seen.log.filter((line) => /^POST .*\/[abc]$/.test(line)).length;
        const { cells, tooSlow, ...judgement } = judged(seen);
        const x402Detector = findDetector('x402')!;
        const x402 = cells.find(({ id }) => id === 'x402')!;
        reasons.add(x402.details['reason']);
        expect([x402.status, x402.details['reason']]).toEqual(
          asked === 3 ? ['present', undefined] : ['error', 'not_reached'],
        );
        const at = '2026-11-01T12:00:00.000Z';
        const facts = assembleFacts({
          ...judgement,
          host: hostName(),
          origin: seen.origin,
          reachable: true,
          cells,
          rails: paymentRails(new HostEvidence(seen)),
          clocks: { probedAt: at, callabilityProbedAt: at },
        });
        const answer = payPreflight(facts, { intent: 'api' }, { observedAt: at, source: 'live', now: new Date(at) });
        expect([answer.canPay, isAnswer(answer)]).toEqual(asked === 3 ? ['no', true] : ['unknown', false]);
        expect(tooSlow).toBe(false);
        const alone = judgeHost([x402Detector], new HostEvidence(seen));
        expect(alone.tooSlow).toBe(asked < 3);
      }),
      { numRuns: 25 },
    );
    expect([...reasons].sort()).toEqual(['not_reached', undefined]);
  });
});

describe('a host behind a bot wall', () => {
  const wall: MemoryReply = {
    ...html('<title>Just a moment...</title>'),
    status: 403,
    headers: { 'cf-mitigated': 'challenge' },
  };

  it('only has evidence of sent requests, and each cell has the exchange that ended the probe', async () => {
    const seen = await probeInMemory(() => wall, {});
    const { cells } = judged(seen);
    expect(unsentRows(cells, seen)).toEqual([]);
    const others = cells.filter(({ id, details }) => id !== 'acp' && JSON.stringify(details['evidence']) === '[]');
    const asked = ['ucp', 'acp', 'ap2', 'x402', 'mpp'];
    expect(others.map(({ id }) => id)).toEqual(DETECTOR_IDS.filter((id) => !asked.includes(id)));
    for (const { status: now, details } of others) {
      expect(now).toBe('error');
      expect(details).toMatchObject({ reason: 'bot_challenge', decidedBy: { status: 403 } });
    }
  });
});
