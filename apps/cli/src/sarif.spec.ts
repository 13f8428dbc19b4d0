import { toBeValidSarifLog } from '@microsoft/jest-sarif';
import { DETECTORS, judgeHost } from '@app/detectors';
import { assembleFacts, paymentRails, type HostFacts } from '@app/reports';
import { failure, html, plain } from '../../../test/support/evidence';
import { hostName } from '../../../test/support/probing';
import { probeSite } from '../../../test/support/site';
import { sarifOf } from './sarif';

interface Result {
  readonly ruleId: string;
  readonly level: string;
  readonly locations: readonly { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }[];
}

interface Log {
  readonly runs: readonly [
    {
      readonly results: readonly Result[];
      readonly invocations: readonly [{ readonly toolExecutionNotifications: readonly unknown[] }];
    },
  ];
}

async function factsOf(site: Parameters<typeof probeSite>[0]): Promise<HostFacts> {
  const seen = await probeSite(site);
  return assembleFacts({
    host: hostName(),
    origin: seen.origin,
    reachable: true,
    ...judgeHost(DETECTORS, seen),
    rails: paymentRails(seen),
    clocks: {},
  });
}

expect.extend({ toBeValidSarifLog });

describe('a report as SARIF', () => {
  it('is valid against the schema, with one result per fix at the document of the host', async () => {
    const facts = await factsOf({ '/': html(), '/llms.txt': plain('no title\n') });
    const log = sarifOf(facts, ['x402'], '1.2.3');
    expect(log).toBeValidSarifLog();
    const { results } = (log as Log).runs[0];
    expect(results.map(({ ruleId }) => ruleId)).toEqual(facts.fixes.map(({ id }) => id));
    const at = (id: string) => results.find(({ ruleId }) => ruleId === id)!;
    expect(at('ucp.missing').level).toBe('note');
    expect(at('ucp.missing').locations[0]!.physicalLocation.artifactLocation.uri).toBe('.well-known/ucp');
    expect(at('llms.partial').level).toBe('warning');
    expect(at('x402.missing').level).toBe('error');
    for (const { locations } of results) {
      expect(locations[0]!.physicalLocation.artifactLocation.uri).toMatch(/^[^/:][^:]*$/);
    }
  });

  it('reports a protocol that could not be checked as a notification, not as a result', async () => {
    const facts = await factsOf({ '/.well-known/ucp': failure('timeout') });
    const log = sarifOf(facts, ['ucp'], '1.2.3');
    expect(log).toBeValidSarifLog();
    const [{ results, invocations }] = (log as Log).runs;
    expect(results.filter(({ ruleId }) => ruleId.startsWith('ucp'))).toEqual([]);
    expect(invocations[0].toolExecutionNotifications).toContainEqual({
      level: 'warning',
      message: { text: 'ucp could not be checked: timeout' },
    });
  });

  it('is valid for a host that was never probed', async () => {
    const facts = { ...(await factsOf({})), fixes: [], protocols: [] };
    expect(sarifOf(facts, [], '1.2.3')).toBeValidSarifLog();
  });
});
