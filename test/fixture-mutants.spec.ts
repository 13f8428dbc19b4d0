import { join } from 'node:path';
import { list, member, text } from '@app/detectors';
import { failureWords, type HostFacts } from '@app/reports';
import { FIXTURES, fixtureFiles, fixtureNames, reportOf, type FixtureHost } from './support/fixture-host';
import { partOf } from './support/generated';
import { conclusions, mutantsOf } from './support/mutants';

const hosts = fixtureNames();

async function hostOf(name: string): Promise<FixtureHost> {
  return ((await import(join(FIXTURES, name, 'host.ts'))) as { host: FixtureHost }).host;
}

/** Codes of a report that its readers see as sentences; those of `details.reason` are tried elsewhere. */
function codesOf({ protocols, paymentRails }: HostFacts): readonly string[] {
  const ofCells = protocols.flatMap(({ details }) => [
    text(details['note']),
    ...(list(details['findings']) ?? []).map((finding) => text(member(finding, 'id'))),
  ]);
  return [...ofCells, ...paymentRails.rails.flatMap(({ reasons }) => reasons)].filter((code) => code !== undefined);
}

/** `npm run oracle -- --write` tries every mutant. */
const EVERY = process.env['ORACLE'] === 'write' ? 1 : 40 / partOf(40);

describe('mutants of the fixtures', () => {
  it('each change a status, a finding, a fix or a rail', async () => {
    const survivors: string[] = [];
    const codes = new Set<string>();
    let seen = 0;
    let tried = 0;
    for (const name of hosts) {
      const [host, files] = [await hostOf(name), fixtureFiles(name)];
      const before = conclusions(await reportOf(host, files));
      for (const mutant of mutantsOf(host, files)) {
        seen += 1;
        if (seen % EVERY !== 0) continue;
        tried += 1;
        const facts = await reportOf(mutant.host, mutant.files);
        if (conclusions(facts) === before) survivors.push(`${name}: ${mutant.name}`);
        for (const code of codesOf(facts)) codes.add(code);
      }
    }
    process.stdout.write(`mutants killed ${tried - survivors.length} / ${tried}, of ${seen}\n`);
    expect(survivors).toEqual([]);
    expect([...codes].filter((code) => !failureWords(code).endsWith('.'))).toEqual([]);
    expect(seen).toBeGreaterThan(800);
  });
});
