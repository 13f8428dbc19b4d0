import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES, fixtureFiles, fixtureNames, reportOf, type FixtureHost } from './support/fixture-host';
import { conclusions, mutantsOf } from './support/mutants';

/** `npm run fixtures` writes the golden reports anew; the diff is what is to be reviewed. */
const REFRESH = process.env['REFRESH_FIXTURES'] === '1';

const hosts = fixtureNames();

async function hostOf(name: string): Promise<FixtureHost> {
  return ((await import(join(FIXTURES, name, 'host.ts'))) as { host: FixtureHost }).host;
}

describe.each(hosts)('%s', (name) => {
  it('gets its golden report', async () => {
    const report = await reportOf(await hostOf(name), fixtureFiles(name));
    const golden = join(FIXTURES, name, 'report.json');
    if (REFRESH) writeFileSync(golden, `${JSON.stringify(report, null, 2)}\n`);
    expect(JSON.parse(JSON.stringify(report))).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
  });
});

describe('mutants of the fixtures', () => {
  it('all change a verdict, a finding, a fix or a rail', async () => {
    const survivors: string[] = [];
    let total = 0;
    for (const name of hosts) {
      const [host, files] = [await hostOf(name), fixtureFiles(name)];
      const before = conclusions(await reportOf(host, files));
      for (const mutant of mutantsOf(host, files)) {
        total += 1;
        if (conclusions(await reportOf(mutant.host, mutant.files)) === before)
          survivors.push(`${name}: ${mutant.name}`);
      }
    }
    process.stdout.write(`mutants killed ${total - survivors.length} / ${total}\n`);
    expect(survivors).toEqual([]);
    expect(total).toBeGreaterThan(800);
  });
});
