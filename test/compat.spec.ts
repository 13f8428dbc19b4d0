import { readFileSync } from 'node:fs';
import { ADVISED_STOPS, codeWords, findDetector, judgeHost } from '@app/detectors';
import { isPayable, offeredRails, type PaymentRail } from '@app/reports';
import { evidence } from './support/evidence';
import { CLIENTS, recordedJudgements, type Judged } from './support/oracle';

const JUDGED = recordedJudgements();
const ALL = JUDGED.flatMap(({ whole, alone }) => [whole, ...alone]);

const railsOf = ({ challenge }: Judged): readonly PaymentRail[] =>
  offeredRails(evidence({ '/api/report': { ...challenge, phase: 'callability' } }));

const RAILS = new Map(ALL.map((judged) => [judged, railsOf(judged)]));

/** Whether the report says that a client pays one of the rails; undefined if it does not name the client. */
function saidOf(rails: readonly PaymentRail[], name: string, version: string): boolean | undefined {
  const named = rails.flatMap(({ clients }) =>
    clients.filter((row) => row.name === name && row.versions.includes(version)),
  );
  return named.length === 0 ? undefined : named.some(({ pays }) => pays);
}

interface Difference {
  readonly client: string;
  readonly said: boolean;
  readonly recorded: string;
}

const said = ALL.flatMap((judged) =>
  CLIENTS.flatMap(({ id, name, version }) => {
    const pays = saidOf(RAILS.get(judged)!, name, version);
    return pays === undefined ? [] : [{ client: id, said: pays, recorded: judged.answers[id]! } satisfies Difference];
  }),
);
const differences = said.filter(({ said: pays, recorded }) => pays !== (recorded === 'signs'));

describe('the recorded answers of released clients', () => {
  it('exist for each challenge and client', () => {
    expect(ALL.length).toBeGreaterThan(2_000);
    expect(ALL.filter(({ answers }) => Object.values(answers).includes('not recorded'))).toEqual([]);
  });

  it.each(CLIENTS.map(({ id }) => id))('of %s differ between challenges', (client) => {
    const signed = ALL.filter(({ answers }) => answers[client] === 'signs').length;
    expect(signed).toBeGreaterThan(50);
    expect(ALL.length - signed).toBeGreaterThan(50);
  });
});

/** The rows of a table in docs/payable.md, by their first column; the second is a code or a count. */
function rowsOf(title: string): readonly (readonly [string, string])[] {
  const section = readFileSync('docs/payable.md', 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith(title))!;
  return [...section.matchAll(/^\| `(.+?)` +\| (.+?) +\|/gm)].map(([, name, cell]) => [name!, cell!] as const);
}

describe('the failed checks of a rail', () => {
  it('have a sentence each', () => {
    const codes = new Set([...RAILS.values()].flat().flatMap(({ reasons }) => reasons));
    expect(codes.size).toBeGreaterThan(20);
    expect([...codes].filter((code) => !codeWords(code).endsWith('.'))).toEqual([]);
  });
});

describe('the clients in a report', () => {
  it('match the recorded clients, except for the differences counted in docs/payable.md', () => {
    expect(said.length).toBeGreaterThan(15_000);
    expect(differences.length / said.length).toBeLessThan(0.01);
    const counts = CLIENTS.map(({ id }) => [id, differences.filter(({ client }) => client === id).length] as const);
    expect(counts.filter(([, count]) => count > 0).map(([id, count]) => [id, String(count)])).toEqual(
      rowsOf('Differences'),
    );
  });

  it.each(CLIENTS.map(({ id }) => id))('include %s, both as able and as unable to pay', (client) => {
    const answers = said.filter((answer) => answer.client === client).map((answer) => answer.said);
    expect(new Set(answers)).toEqual(new Set([true, false]));
  });

  it('are listed if a client signed, except for unofficial schemes', () => {
    const unnamed = ALL.filter((judged) => {
      const signs = Object.values(judged.answers).includes('signs');
      return signs && RAILS.get(judged)!.every(({ clients }) => clients.length === 0);
    });
    expect([...new Set(unnamed.flatMap((judged) => RAILS.get(judged)!.map(({ scheme }) => scheme)))]).toEqual([
      'Exact',
    ]);
  });
});

/** Protocols with complete challenges that no released client pays, with the texts of their fixes. */
function unpaidCells(judged: Judged): readonly { readonly id: string; readonly fixes: string }[] {
  const rails = RAILS.get(judged)!;
  const unpaid = ['x402', 'mpp'].filter((id) => {
    const own = rails.filter(({ protocol }) => protocol === id);
    return own.some(({ reasons }) => reasons.includes('no_client_pays')) && !own.some(isPayable);
  });
  if (unpaid.length === 0) return [];
  const seen = evidence({ '/api/report': { ...judged.challenge, phase: 'callability' } });
  const { cells, fixes } = judgeHost(
    unpaid.map((id) => findDetector(id)!),
    seen,
  );
  const whole = cells.filter(({ status }) => status === 'present');
  return whole.map(({ id }) => ({
    id,
    fixes: fixes
      .filter(({ protocol }) => protocol === id)
      .map(({ fix }) => fix)
      .join(' '),
  }));
}

describe('a payable option with clients', () => {
  it('was signed by one of them', () => {
    const wrong = ALL.filter((judged) => {
      const payable = RAILS.get(judged)!.some(({ reasons, clients }) => reasons.length === 0 && clients.length > 0);
      return payable && !Object.values(judged.answers).includes('signs');
    });
    expect(wrong.map(({ challenge }) => challenge)).toEqual([]);
  });

  it('is not payable despite a signature only for the reasons in docs/payable.md', () => {
    const reasons = ALL.flatMap((judged) =>
      RAILS.get(judged)!.flatMap((rail) => (rail.clients.some(({ pays }) => pays) ? rail.reasons : [])),
    );
    expect([...new Set(reasons)].sort()).toEqual(
      rowsOf('Signed and not payable')
        .map(([reason]) => reason)
        .toSorted(),
    );
  });

  it('has a fix if no client can pay', () => {
    const without = ALL.flatMap((judged) => unpaidCells(judged)).filter(
      ({ fixes }) => !/No released client can pay this/.test(fixes),
    );
    expect(without).toEqual([]);
    expect(rowsOf('What stops a client').map(([reason]) => reason)).toEqual(expect.arrayContaining([...ADVISED_STOPS]));
  });

  it('uses only failure reasons of docs/payable.md', () => {
    const reasons = ALL.flatMap((judged) =>
      RAILS.get(judged)!.flatMap(({ clients }) => clients.flatMap(({ reason }) => reason ?? [])),
    );
    expect([...new Set(reasons)].sort()).toEqual(
      rowsOf('What stops a client')
        .map(([reason]) => reason)
        .toSorted(),
    );
  });
});
