import { without } from '@app/platform';
import * as fc from 'fast-check';
import { z } from 'zod';
import { ABSENT as GONE, SILENT } from '../../../../test/support/claim-findings';
import { claimAfter, claimStatus, mayEnd, surplusClaims, UNPROVED_PER_HOST, type CheckedClaim } from './claim';
import { CLAIM_LEVELS } from './proof';
import { ClaimFinding, PROOFS, type CheckFinding } from './proofs';
import { zoneFinding } from './zone';

const START = Date.parse('2026-11-22T00:00:00.000Z');
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const at = (ms: number): Date => new Date(START + ms);
const WAIT = { confirmMs: 10 * MINUTE };
const NEW: CheckedClaim = {
  ...WAIT,
  createdAt: at(0),
  level: null,
  levelSince: null,
  lastSeenAt: null,
  missing: false,
  nameServers: [],
};

const DNS: CheckFinding = { ...GONE, dns: 'found' };
const FILE: CheckFinding = { ...GONE, file: 'found' };
const withoutServers = (claim: CheckedClaim): CheckedClaim => ({ ...claim, nameServers: [] });

function afterCheck(claim: CheckedClaim, found: CheckFinding, when: Date): CheckedClaim {
  const { row } = claimAfter({ unseenChecks: 0, ...claim }, found, when);
  return { ...claim, ...without(without(without(row, 'unseenChecks'), 'finding'), 'checkedAt') };
}

type Step = readonly [ms: number, finding: CheckFinding];
const played = (...steps: readonly Step[]): CheckedClaim =>
  steps.reduce((claim, [ms, finding]) => afterCheck(claim, finding, at(ms)), NEW);
const PROVED: readonly Step[] = [
  [0, DNS],
  [10 * MINUTE, DNS],
];

describe('a claim', () => {
  it('is verified after its record was found twice, ten minutes apart', () => {
    expect(claimStatus(played([0, DNS]), at(MINUTE))).toBe('pending');
    expect(claimStatus(played([0, DNS], [9 * MINUTE, DNS]), at(9 * MINUTE))).toBe('pending');
    expect(claimStatus(played(...PROVED), at(10 * MINUTE))).toBe('verified');
    expect(claimStatus(played([0, DNS], [5 * MINUTE, GONE], [10 * MINUTE, DNS]), at(10 * MINUTE))).toBe('pending');
  });

  it('expires if it is not verified within seven days', () => {
    expect(claimStatus(NEW, at(7 * DAY - 1))).toBe('pending');
    expect(claimStatus(NEW, at(7 * DAY))).toBe('lapsed');
  });

  it('goes into grace if its record is gone, and lapses for good 14 days later', () => {
    const [last] = [PROVED.at(-1)?.[0] ?? 0];
    const gone = played(...PROVED, [last + DAY, GONE]);
    expect(claimStatus(gone, at(last + DAY))).toBe('grace');
    expect(claimStatus(gone, at(last + 15 * DAY - 1))).toBe('grace');
    expect(claimStatus(gone, at(last + 15 * DAY))).toBe('lapsed');
    expect(claimStatus(afterCheck(gone, DNS, at(last + 16 * DAY)), at(last + 16 * DAY))).toBe('lapsed');
    expect(claimStatus(afterCheck(gone, DNS, at(last + 2 * DAY)), at(last + 2 * DAY))).toBe('verified');
  });

  it('by a file expires after 30 days, however often the file is found', () => {
    const daily = Array.from({ length: 30 }, (_, day): Step => [day * DAY, FILE]);
    expect(claimStatus(played(...daily), at(30 * DAY - 1))).toBe('verified');
    expect(claimStatus(played(...daily), at(30 * DAY))).toBe('lapsed');
  });

  it('gets another level after that was found twice', () => {
    const file = played([0, FILE], [10 * MINUTE, FILE], [20 * MINUTE, DNS]);
    expect(file).toMatchObject({ level: 'dns' });
    expect(claimStatus(file, at(20 * MINUTE))).toBe('pending');
    expect(claimStatus(afterCheck(file, DNS, at(30 * MINUTE)), at(30 * MINUTE))).toBe('verified');
  });

  it('keeps its DNS level while name servers disagree, even if there is a file', () => {
    const unsure = { ...FILE, dns: 'disagree' } as const;
    expect(played(...PROVED, [DAY, unsure])).toEqual(played(...PROVED));
  });

  it('says that its record was reached through a CNAME', () => {
    expect(played([0, { ...DNS, target: 'claims.example.net' }])).toMatchObject({ level: 'dns-delegated' });
  });
});

/** Any finding of the existing proofs. */
const finding = fc.record(
  Object.fromEntries(
    PROOFS.flatMap(({ found }) => Object.entries<z.ZodType>(found)).map(([member, schema]) => [
      member,
      fc.constantFrom(...(schema instanceof z.ZodEnum ? schema.options : [null, 'claims.example.net'])),
    ]),
  ),
) as fc.Arbitrary<ClaimFinding>;
const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 * DAY }), finding), { maxLength: 40 }).map((waits) => {
  let ms = 0;
  return waits.map(([wait, found]): Step => [(ms += wait), found]);
});

describe('any history of checks', () => {
  it('is verified only after two checks of one level, ten minutes apart', () => {
    fc.assert(
      fc.property(steps, (history) => {
        const end = history.at(-1)?.[0] ?? 0;
        if (claimStatus(played(...history), at(end)) !== 'verified') return;
        const seen = history.filter(([, found]) => Object.values(found).includes('found'));
        expect((seen.at(-1)?.[0] ?? 0) - (seen[0]?.[0] ?? 0)).toBeGreaterThanOrEqual(10 * MINUTE);
      }),
    );
  });

  it('does not revive a lapsed claim', () => {
    fc.assert(
      fc.property(steps, (history) => {
        let [claim, lapsed] = [NEW, false];
        for (const [ms, found] of history) {
          lapsed ||= claimStatus(claim, at(ms)) === 'lapsed';
          claim = afterCheck(claim, found, at(ms));
          if (lapsed) expect(claimStatus(claim, at(ms))).toBe('lapsed');
        }
      }),
    );
  });

  it('is not changed by inconclusive checks', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: DAY }), (history, wait) => {
        const claim = played(...history);
        if (claim.level === null) return;
        expect(afterCheck(claim, SILENT, at((history.at(-1)?.[0] ?? 0) + wait))).toEqual(claim);
      }),
    );
  });
});

describe('what a check changes', () => {
  it('reports a lapse once until the record is found again, and extends watches for DNS claims only', () => {
    fc.assert(
      fc.property(steps, (history) => {
        let [claim, told] = [{ ...NEW, unseenChecks: 0 }, 0];
        for (const [ms, found] of history) {
          const { row, alerts, watches } = claimAfter(claim, found, at(ms));
          const { level, lastSeenAt, missing } = { ...claim, ...row };
          expect(row.unseenChecks).toBe(level === null ? claim.unseenChecks + 1 : 0);
          const endsAt = level === 'dns' && at(lastSeenAt!.getTime() - START + 15 * DAY);
          expect(watches).toEqual(endsAt ? { endsAt } : null);
          told = missing ? told + alerts.length : 0;
          expect([told, !missing && alerts.length > 0]).toEqual([Number(missing), false]);
          claim = { ...claim, ...row };
        }
      }),
    );
  });
});

describe('unverified claims of a host', () => {
  const begun = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 })
    .map((callers) => callers.map((caller, n) => ({ id: String(n), caller, createdAt: at(n) })));

  it('are limited to ten; the caller with the most loses the oldest first', () => {
    fc.assert(
      fc.property(begun, (claims) => {
        const lost = surplusClaims(claims);
        expect(lost).toHaveLength(Math.max(0, claims.length - UNPROVED_PER_HOST));
        const keptOf = (caller: string) => claims.filter((each) => each.caller === caller && !lost.includes(each.id));
        for (const { caller, createdAt } of claims.filter(({ id }) => lost.includes(id))) {
          for (const kept of keptOf(caller)) expect(kept.createdAt.getTime()).toBeGreaterThan(createdAt.getTime());
          for (const other of ['a', 'b', 'c', '']) {
            expect(keptOf(other).length).toBeLessThanOrEqual(keptOf(caller).length + 1);
          }
        }
      }),
    );
  });
});

describe('the zone of a claim', () => {
  const names = (stem: string): fc.Arbitrary<string[]> =>
    fc
      .uniqueArray(fc.nat(40), { minLength: 1, maxLength: 20 })
      .map((all) => all.map((n) => `ns${n}.${stem}`).toSorted());
  const there = (records: readonly string[]) => ({ exists: true, records, target: null });
  const gone = { exists: false, records: [], target: null };
  const shuffled = (records: readonly string[]) =>
    fc.shuffledSubarray([...records], { minLength: records.length }).map(there);
  /** Two resolvers with the same answer, each in its own order. */
  const agreeing = (records: readonly string[]) => fc.tuple(shuffled(records), shuffled(records));
  const proved = (nameServers: readonly string[]): fc.Arbitrary<CheckedClaim> =>
    fc
      .constantFrom<Partial<ClaimFinding>>({ dns: 'found' }, { dns: 'found', target: 'a.example' }, { file: 'found' })
      .map((by) => {
        const seen = { ...GONE, ...by, nameServers };
        return afterCheck(afterCheck(NEW, seen, at(0)), seen, at(10 * MINUTE));
      });
  const checkedAt = (
    claim: CheckedClaim,
    found: ClaimFinding,
    answers: Parameters<typeof zoneFinding>[0],
    ms: number,
  ) => {
    return afterCheck(claim, { ...found, ...zoneFinding(answers, claim.nameServers) }, at(ms));
  };

  it('does not change the result of a check if it keeps one name server or is unknown', () => {
    const overlap = fc.tuple(names('example.net'), names('example.org'), fc.nat()).chain(([known, others, n]) => {
      return agreeing([known[n % known.length] ?? '', ...others]).map((answers) => ({ known, answers }));
    });
    const unclear = fc
      .tuple(names('example.net'), names('example.org'))
      .chain(([known, told]) =>
        fc
          .constantFrom(
            ...[[], [undefined], [there(told), undefined], [gone, undefined], [there(told), gone], [gone, there(told)]],
            ...[
              [there([])],
              [there(told), there(known)],
              [{ ...there(told), target: 'a.example' }],
              [there(told), there([])],
            ],
          )
          .map((answers) => ({ known, answers })),
      );
    fc.assert(
      fc.property(
        fc.oneof(overlap, unclear).chain((zone) => fc.tuple(fc.constant(zone.answers), proved(zone.known))),
        finding,
        ([answers, claim], what) => {
          expect(withoutServers(checkedAt(claim, what, answers, DAY))).toEqual(
            withoutServers(afterCheck(claim, what, at(DAY))),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('puts the claim in grace at once if it is gone or lost all its name servers', () => {
    const moved = fc
      .tuple(names('example.net'), names('example.org'))
      .chain(([known, told]) => fc.tuple(proved(known), fc.oneof(agreeing(told), fc.constant([gone, gone]))));
    fc.assert(
      fc.property(moved, finding, ([claim, answers], what) => {
        expect(claimStatus(claim, at(10 * MINUTE))).toBe('verified');
        expect(claimStatus(checkedAt(claim, what, answers, DAY), at(DAY))).toBe('grace');
      }),
      { numRuns: 500 },
    );
  });

  it('restores the claim after a move when the record is found twice, ten minutes apart', () => {
    const known = [there(['ns.example.net'])];
    const told = [there(['ns.example.org'])];
    const claim = [0, 10 * MINUTE].reduce((before, ms) => checkedAt(before, DNS, known, ms), NEW);
    const moved = checkedAt(checkedAt(claim, DNS, told, DAY), DNS, told, DAY + 10 * MINUTE - 1);
    expect(claimStatus(moved, at(DAY + 10 * MINUTE))).toBe('grace');
    const seen = checkedAt(moved, DNS, told, DAY + 10 * MINUTE);
    expect([claimStatus(seen, at(DAY + 10 * MINUTE)), seen.nameServers]).toEqual(['verified', ['ns.example.org']]);
    const unproved = checkedAt(checkedAt(NEW, DNS, known, 0), DNS, told, 10 * MINUTE);
    expect(claimStatus(unproved, at(10 * MINUTE))).toBe('pending');
  });

  it('is stored with at most twenty name servers', () => {
    const many = Array.from({ length: 30 }, (_, n) => `ns${n + 10}.example.net`);
    const { nameServers } = zoneFinding([there([...many, `${'a'.repeat(255)}.example.net`])], []);
    expect(nameServers).toEqual(many.slice(0, 20));
  });
});

describe("ending somebody else's claim", () => {
  const level = fc.constantFrom(null, ...CLAIM_LEVELS);
  const domain = fc.constantFrom('shop.example.com', 'example.com');
  const claim = fc
    .record({ domain, level, days: fc.nat(40), missing: fc.boolean(), seen: fc.constantFrom(0, 10 * MINUTE) })
    .map(({ level: rests, days, seen, ...rest }) => ({
      ...NEW,
      ...rest,
      level: rests,
      levelSince: rests && at(days * DAY),
      lastSeenAt: rests && at(days * DAY + seen),
    }));

  it('is allowed only for a claim by file of the same host, by an owner verified by DNS', () => {
    fc.assert(
      fc.property(claim, claim, fc.nat(60), (own, other, days) => {
        const now = at(days * DAY);
        const owner = own.level === 'dns' && claimStatus(own, now) === 'verified' && own.domain === other.domain;
        expect(mayEnd(own, other, now)).toBe(owner && other.level === 'http');
      }),
      { numRuns: 400 },
    );
  });
});
