import fc from 'fast-check';
import type { CellStatus, JsonObject, ProbePhase, ProtocolCell } from '@app/detectors';
import { cell, rail } from '../../../test/support/report';
import { driftOf, rulesDrift, type DriftProbe, type DriftMemory } from './drift';
import type { PaymentRail } from './rail-members';

const EXERCISED = new Set(['mpp', 'x402']);
/** The time of the nth probe, a day after the previous one. */
const at = (n: number) => new Date(Date.UTC(2026, 10, n + 1)).toISOString();

/** Passes probes to driftOf one after the other, storing the memory in between; returns the events of each probe. */
function history(probes: readonly Omit<DriftProbe, 'at'>[]) {
  let memory: DriftMemory | null = null;
  return probes.map((probe, n) => {
    const drift = driftOf(memory, { ...probe, at: at(n) }, EXERCISED);
    memory = JSON.parse(JSON.stringify(drift.memory)) as DriftMemory;
    return drift.events;
  });
}
/** The events of each probe by kind; a dash means none. */
const kinds = (probes: readonly Omit<DriftProbe, 'at'>[]) =>
  history(probes)
    .map((events) => events.map(({ protocol, kind }) => `${protocol} ${kind}`).join(', ') || '-')
    .join(' | ');

const probe = (cells: readonly ProtocolCell[], phase: ProbePhase = 'presence') => ({ cells, rails: null, phase });
const ucp = (status: CellStatus, details: JsonObject = {}, version: string | null = null) =>
  probe([cell('ucp', status, details, version)]);
const paid = (...rails: PaymentRail[]) => ({
  cells: [],
  phase: 'callability' as const,
  rails: { payable: true, checkedAt: null, rails },
});

describe('driftOf', () => {
  it('treats the first probe of a host and of a protocol as a baseline', () => {
    expect(
      kinds([probe([cell('ucp'), cell('llms', 'absent')]), probe([cell('ucp'), cell('llms', 'absent'), cell('mcp')])]),
    ).toBe('- | -');
  });

  it('ignores a cell whose advertised routes were not called, before and after any other', () => {
    const waiting = (phase: ProbePhase) => probe([cell('x402', 'partial', { reason: 'not_exercised' })], phase);
    const status = fc.constantFrom<CellStatus>('absent', 'partial', 'present', 'error');
    const phase = fc.constantFrom<ProbePhase>('presence', 'callability');
    const told = fc.array(
      fc.tuple(status, phase).map(([is, in_]) => probe([cell('x402', is)], in_)),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(told, fc.nat(6), phase, (probes, at, in_) => {
        const flat = (all: readonly Omit<DriftProbe, 'at'>[]) =>
          history(all).flatMap((events) => events.map(({ kind }) => kind));
        expect(flat(probes.toSpliced(at, 0, waiting(in_)))).toEqual(flat(probes));
      }),
    );
  });

  it('reports a protocol that appeared, with its version', () => {
    expect(
      history([ucp('absent'), ucp('present', { endpoint: 'https://shop.example.com/ucp' }, '2026-04-08')]),
    ).toEqual([
      [],
      [
        {
          at: at(1),
          protocol: 'ucp',
          kind: 'appeared',
          summary: 'UCP is now available, version 2026-04-08.',
          before: 'absent',
          after: 'present',
        },
      ],
    ]);
  });

  it.each([
    ['present absent absent absent', '- | - | ucp vanished | -'],
    ['present absent present absent present', '- | - | - | - | -'],
    ['partial absent absent present', '- | - | ucp vanished | ucp appeared'],
    ['present absent error error', '- | - | - | -'],
    ['present absent error absent', '- | - | - | ucp vanished'],
    ['error present', '- | -'],
    ['partial present', '- | ucp appeared'],
  ])('reports a protocol as vanished after two misses, ignoring errors: %s', (statuses, told) => {
    expect(kinds(statuses.split(' ').map((status) => ucp(status as CellStatus)))).toBe(told);
  });

  it('compares with the last good probe across any number of errors', () => {
    expect(kinds([ucp('present', {}, '1'), ucp('error'), ucp('error'), ucp('present', {}, '1')])).toBe('- | - | - | -');
    expect(kinds([ucp('present', {}, '1'), ucp('error'), ucp('present', {}, '2')])).toBe('- | - | ucp version_changed');
  });

  it('reports degraded and recovered from the status, not from the details', () => {
    const broken = ucp('partial', { note: 'no_services' });
    expect(kinds([ucp('present', { keys: ['a'] }), broken, broken, ucp('present', { keys: ['a'] })])).toBe(
      '- | ucp degraded | - | ucp recovered',
    );
  });

  it('reports a new version and endpoint separately from other details', () => {
    const before = { endpoint: 'https://shop.example.com/v1', keys: ['a'], name: 'Shop' };
    const after = { endpoint: 'https://shop.example.com/v2', keys: ['a', 'b'], name: 'Shop' };
    const [, events] = history([ucp('present', before, '1'), ucp('present', after, '2')]);
    expect(events).toMatchObject([
      { kind: 'version_changed', before: '1', after: '2', summary: 'UCP now has version 2.' },
      { kind: 'endpoint_changed', before: before.endpoint, after: after.endpoint },
      {
        kind: 'details_changed',
        before: { keys: ['a'] },
        after: { keys: ['a', 'b'] },
        summary: 'UCP changed: keys.',
      },
    ]);
  });

  it('reports a version and an endpoint that are no longer stated', () => {
    const [, events] = history([ucp('present', { endpoint: 'https://shop.example.com/a' }, '1'), ucp('present')]);
    expect(events?.map(({ summary, after }) => [summary, after])).toEqual([
      ['UCP no longer has a version.', null],
      ['UCP no longer has an endpoint.', null],
    ]);
  });

  it('finds version and endpoint in a quoted profile', () => {
    const profile = (version: string, capabilities: string[]) =>
      ucp('present', { profile: { version, endpoint: `https://shop.example.com/${version}`, capabilities } }, version);
    expect(kinds([profile('1', ['a']), profile('2', ['a'])])).toBe('- | ucp version_changed, ucp endpoint_changed');
    expect(kinds([profile('1', ['a']), profile('1', ['b'])])).toBe('- | ucp details_changed');
  });

  it('does not report order, evidence, sizes, times and findings as changes', () => {
    const one = {
      keys: ['a', 'b'],
      skills: [
        { id: 'x', name: 'X' },
        { id: 'y', name: 'Y' },
      ],
      evidence: [{ sha256: 'aa', observedAt: at(0) }],
      bytes: 10,
      checkedAt: at(0),
      connectMs: 12,
      interfaceStatus: 200,
      findings: [{ id: 'no_cache_header' }],
    };
    const two = {
      skills: [
        { name: 'Y', id: 'y' },
        { name: 'X', id: 'x' },
      ],
      keys: ['b', 'a'],
      evidence: [],
      bytes: 11,
      checkedAt: at(1),
      connectMs: 40,
      interfaceStatus: 503,
    };
    expect(kinds([ucp('present', one), ucp('present', two)])).toBe('- | -');
  });

  it('treats the payment options of a cell as a set, independent of the routes that answered', () => {
    const option = (path: string, more: JsonObject = {}) => ({
      scheme: 'exact',
      network: 'eip155:8453',
      amount: path,
      payTo: path,
      resource: `https://shop.example.com/${path}`,
      reasons: [],
      ...more,
    });
    const x402 = (...accepts: JsonObject[]) => probe([cell('x402', 'present', { accepts })], 'callability');
    expect(
      kinds([
        x402(option('a'), option('b')),
        x402(option('b', { reasons: ['unknown_asset'] })),
        x402(option('a'), option('b', { network: 'eip155:137' })),
      ]),
    ).toBe('- | - | x402 details_changed');
  });

  it('ignores the reasons of absent cells, and undiscoverable ones', () => {
    expect(
      kinds([
        probe([cell('llms', 'absent'), cell('acp', 'undiscoverable', { observed: 1 })]),
        probe([cell('llms', 'absent', { catchAll: true }), cell('acp', 'undiscoverable', { observed: 2 })]),
      ]),
    ).toBe('- | -');
  });

  it('limits and cleans host text in a summary', () => {
    const [, events] = history([ucp('present', {}, '1'), ucp('present', {}, `\u202E${'9'.repeat(5_000)}`)]);
    expect(events?.[0]?.summary).toMatch(/^UCP now has version 9{270,}….$/);
  });
});

describe('driftOf between probes of different depth', () => {
  /** A list of statuses; a plus marks a callability probe, a star one that sees something that only a call can show. */
  const asked = (id: string, statuses: string) =>
    statuses.split(' ').map((said) => {
      const [, status, sign] = /^(\w+)([+*]?)$/.exec(said)!;
      const details = sign === '*' ? { intents: ['charge'] } : {};
      return probe([cell(id, status as CellStatus, details)], sign === '' ? 'presence' : 'callability');
    });

  it.each([
    [
      'does not call changed what only a call can show',
      'mpp',
      'absent present* absent absent present*',
      '- | - | - | - | -',
    ],
    [
      'counts only probes that could see a protocol as misses',
      'mpp',
      'present+ absent absent+ absent absent+',
      '- | - | - | - | mpp vanished',
    ],
    [
      'ends a miss with a probe of the other depth that finds it',
      'mpp',
      'present+ absent+ present absent+',
      '- | - | - | -',
    ],
    [
      'reports a change once, whichever probe finds it first',
      'x402',
      'present present+ partial partial+ present+ present',
      '- | - | x402 degraded | - | x402 recovered | -',
    ],
    [
      'sees a protocol vanish in its first callability probe, and come back',
      'mpp',
      'present absent+ absent+ present present+',
      '- | - | mpp vanished | mpp appeared | -',
    ],
    ['compares protocols that need no calls across both kinds', 'ucp', 'absent present+', '- | ucp appeared'],
  ])('%s', (_, id, statuses, told) => {
    expect(kinds(asked(id, statuses))).toBe(told);
  });

  it('reports a recovery to a callability probe that missed the outage', () => {
    const x402 = (phase: ProbePhase, details: JsonObject, version: string) =>
      probe([cell('x402', 'present', details, version)], phase);
    expect(
      kinds([
        x402('presence', { keys: ['a'] }, '1'),
        x402('callability', { keys: ['a'], routes: 2 }, '1'),
        x402('presence', { keys: ['b'] }, '2'),
        x402('callability', { keys: ['a'], routes: 2 }, '1'),
      ]),
    ).toBe('- | - | x402 version_changed, x402 details_changed | x402 version_changed, x402 details_changed');
  });
});

describe('driftOf of payment rails', () => {
  const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string, string];
  const to = (payTo: string | null) => paid(rail({ payTo }));

  it('reports a new price of the same payment option', () => {
    const [, events] = history([paid(rail()), paid(rail({ amount: '25000', amountUsd: '0.025' }))]);
    const where = { resource: 'https://shop.example.com/api/quote', network: 'eip155:8453', asset: 'USDC' };
    expect(events).toEqual([
      {
        at: at(1),
        protocol: 'x402',
        kind: 'price_changed',
        summary: 'x402 at https://shop.example.com/api/quote now costs 0.025 USD on eip155:8453.',
        before: { ...where, amount: '10000', amountUsd: '0.01' },
        after: { ...where, amount: '25000', amountUsd: '0.025' },
      },
    ]);
  });

  it('reports a price in units of an unknown asset', () => {
    const odd = { asset: 'odd', assetSymbol: null, amountUsd: null, network: null };
    const [, events] = history([paid(rail(odd)), paid(rail({ ...odd, amount: '7' }))]);
    expect(events?.[0]?.summary).toBe('x402 at https://shop.example.com/api/quote now costs 7 units of odd.');
  });

  it('makes no event for an option that is new, missing or not probed', () => {
    const other = rail({ network: 'eip155:137', networkName: 'Polygon' });
    expect(kinds([paid(rail()), paid(other), probe([]), paid(), paid(rail(), other)])).toBe('- | - | - | - | -');
  });

  it('reports each single change of a set of options as one event, and ignores the order', () => {
    const TOKENS = ['1', '2', '3', '4', '5'].map((digit) => `0x${digit.repeat(40)}`);
    const option = fc.record({
      resource: fc.constantFrom('https://shop.example.com/a', 'https://shop.example.com/b'),
      network: fc.constantFrom('eip155:8453', 'eip155:137'),
      asset: fc.constantFrom(...TOKENS),
      amount: fc.constantFrom('100', '200', '3000'),
      payTo: fc.constantFrom(A, B),
    });
    const sets = fc.uniqueArray(option, {
      minLength: 1,
      maxLength: 8,
      selector: ({ resource, network, asset }) => `${resource} ${network} ${asset}`,
    });
    const CHANGES = {
      price_changed: { amount: '77' },
      asset_changed: { asset: `0x${'9'.repeat(40)}` },
      pay_to_changed: { payTo: C },
    } as const;
    const kind = fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[]));
    fc.assert(
      fc.property(sets, fc.nat(7), kind, fc.infiniteStream(fc.nat()), (options, nth, change, order) => {
        const chosen = options[nth % options.length]!;
        const shuffled = (all: readonly Partial<PaymentRail>[]) =>
          paid(
            ...all
              .map((more) => ({ more, by: order.next().value }))
              .sort((a, b) => a.by - b.by)
              .map(({ more }) => rail(more)),
          );
        const after = options.map((one) => (one === chosen ? { ...one, ...CHANGES[change] } : one));
        const told = history([options, options, after, after, after].map(shuffled)).flat();
        const [member] = Object.keys(CHANGES[change]) as [keyof typeof chosen];
        expect(told).toMatchObject([
          {
            kind: change,
            before: { [member]: chosen[member] },
            after: { [member]: Object.values(CHANGES[change])[0] },
          },
        ]);
      }),
    );
  });

  it('ignores the order of options and the query of a resource', () => {
    const cheap = rail({ resource: 'https://shop.example.com/api/quote?nonce=1' });
    const dear = rail({ amount: '9000000', amountUsd: '9' });
    expect(
      kinds([paid(cheap, dear), paid(dear, rail({ resource: 'https://shop.example.com/api/quote?nonce=2' }))]),
    ).toBe('- | -');
  });

  it('reports a new recipient after a second probe confirms it', () => {
    const all = history([to(A), to(B), to(B), to(B)]);
    expect(all.map((events) => events.length)).toEqual([0, 0, 1, 0]);
    expect(all[2]).toEqual([
      {
        at: at(2),
        protocol: 'x402',
        kind: 'pay_to_changed',
        summary: `x402 payments on eip155:8453 now go to ${B}.`,
        before: { network: 'eip155:8453', payTo: A },
        after: { network: 'eip155:8453', payTo: B },
      },
    ]);
  });

  it('makes no events for a recipient that is generated for each request', () => {
    expect(kinds([to(A), to(B), to(C), to(D), to(A), to(B)])).toBe('- | - | - | - | - | -');
  });

  it('makes no event for a recipient seen once, in another case, or missing', () => {
    expect(kinds([to(A), to(B), to(A), to(A.toUpperCase().replace('X', 'x')), to(null), to(A)])).toBe(
      '- | - | - | - | - | -',
    );
  });

  it('follows a recipient that stopped rotating', () => {
    expect(kinds([to(A), to(B), to(C), to(C), to(D), to(D)])).toBe('- | - | - | - | - | x402 pay_to_changed');
  });

  it('reports a recipient shared by several routes once', () => {
    const routes = (payTo: string) =>
      paid(...[1, 2, 3].map((n) => rail({ payTo, resource: `https://shop.example.com/${n}` })));
    expect(kinds([routes(A), routes(B), routes(B)])).toBe('- | - | x402 pay_to_changed');
  });

  it('remembers a limited number of options, the latest first', () => {
    const many = Array.from({ length: 80 }, (_, n) => rail({ resource: `https://shop.example.com/${n}` }));
    const first = driftOf(null, { ...paid(...many), at: at(0) });
    const second = driftOf(first.memory, { ...paid(rail()), at: at(1) });
    expect(second.memory.rails).toHaveLength(50);
    expect(second.memory.rails[0]?.seenAt).toBe(at(1));
  });
});

describe('driftOf, for any probes', () => {
  const cells = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('ucp', 'mpp', 'x402', 'llms'),
      status: fc.constantFrom<CellStatus>('absent', 'present', 'partial', 'undiscoverable', 'error'),
      version: fc.option(fc.constantFrom('1', '2')),
      details: fc.dictionary(
        fc.constantFrom('endpoint', 'keys', 'profile', 'bytes', 'note', '__proto__'),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    }),
    { selector: ({ id }) => id },
  );
  const rails = fc.array(
    fc
      .record({
        amount: fc.constantFrom('1', '2', null),
        payTo: fc.constantFrom('0xA', '0xB', '0xC', null),
        resource: fc.constantFrom('https://shop.example.com/a', 'https://shop.example.com/b', 'nonsense'),
      })
      .map((more) => rail(more)),
    { maxLength: 4 },
  );
  const probes = fc.array(
    fc.record({
      cells,
      rails: fc.option(rails.map((list) => ({ payable: false, checkedAt: null, rails: list }))),
      phase: fc.constantFrom<ProbePhase>('presence', 'callability'),
    }),
    { minLength: 1, maxLength: 6 },
  );
  const memoryAfter = (all: readonly Omit<DriftProbe, 'at'>[]) =>
    all.reduce<DriftMemory | null>((memory, one, n) => driftOf(memory, { ...one, at: at(n) }, EXERCISED).memory, null);

  it('reports recovered only for a protocol that was present before, and otherwise appeared', () => {
    const statuses = fc.array(fc.constantFrom<CellStatus>('absent', 'partial', 'present', 'error'), { maxLength: 12 });
    fc.assert(
      fc.property(statuses, (all) => {
        history(all.map((status) => ucp(status))).forEach((events, n) => {
          const wasPresent = all.slice(0, n).includes('present');
          for (const { kind, before } of events) {
            if (kind === 'recovered') expect(wasPresent).toBe(true);
            if (kind === 'appeared' && before === 'partial') expect(wasPresent).toBe(false);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('makes no events for a probe recorded twice, and does not change its memory', () => {
    fc.assert(
      fc.property(probes, (all) => {
        const memory = memoryAfter(all);
        const last = all.at(-1)!;
        const again = driftOf(memory, { ...last, at: at(all.length - 1) }, EXERCISED);
        expect(again.events).toEqual([]);
        expect(again.memory).toEqual(memory);
      }),
    );
  });

  it('makes no events for a third probe with the same result', () => {
    fc.assert(
      fc.property(probes, (all) => {
        const last = all.at(-1)!;
        const memory = memoryAfter([...all, last]);
        expect(driftOf(memory, { ...last, at: at(all.length + 1) }, EXERCISED).events).toEqual([]);
      }),
    );
  });

  it('makes no events for errors, and does not change the memory of cells', () => {
    fc.assert(
      fc.property(probes, cells, (all, more) => {
        const memory = memoryAfter(all);
        const errors = more.map((one) => ({ ...one, status: 'error' as const }));
        const drift = driftOf(memory, { cells: errors, rails: null, phase: 'callability', at: at(9) }, EXERCISED);
        expect(drift).toEqual({ events: [], memory });
      }),
    );
  });

  it('gives the same events after storing and reading the memory', () => {
    fc.assert(
      fc.property(probes, probes, (all, [next]) => {
        const memory = memoryAfter(all);
        const stored = JSON.parse(JSON.stringify(memory)) as DriftMemory;
        const args = [{ ...next!, at: at(9) }, EXERCISED] as const;
        expect(driftOf(stored, ...args).events).toEqual(driftOf(memory, ...args).events);
      }),
    );
  });
});

describe('rulesDrift', () => {
  it('reports changes of the rules, and does not report them again as changes of the host', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<CellStatus>('present', 'partial', 'absent'),
        fc.constantFrom<CellStatus>('present', 'partial', 'absent'),
        fc.constantFrom<ProbePhase>('presence', 'callability'),
        fc.array(fc.constantFrom('10000', '20000'), { minLength: 2, maxLength: 2 }),
        (was, is, phase, [before, after]) => {
          const rails = (amount: string) => ({ payable: true, checkedAt: null, rails: [rail({ amount })] });
          const first = { cells: [cell('x402', was)], phase, rails: rails(before!) };
          const now = { cells: [cell('x402', is, { read: 'better' })], phase, rails: rails(after!) };
          const { memory } = driftOf(null, { ...first, at: at(0) }, EXERCISED);
          const judged = rulesDrift(memory, { ...now, before: first.cells, at: at(1) });
          expect(judged.events.map(({ kind }) => kind)).toEqual(['rules_changed']);
          expect(driftOf(judged.memory, { ...now, at: at(2) }, EXERCISED).events).toEqual([]);
        },
      ),
    );
  });

  it('keeps the memory of cells that did not change', () => {
    const { memory } = driftOf(null, { ...probe([cell('ucp'), cell('llms')]), at: at(0) }, EXERCISED);
    const judged = rulesDrift(memory, {
      ...probe([cell('llms', 'partial')]),
      rails: { payable: false, checkedAt: null, rails: [] },
      before: [cell('ucp'), cell('llms')],
      at: at(1),
    });
    expect(judged.memory.cells).toContainEqual(memory.cells.find(({ id }) => id === 'ucp'));
  });
});
