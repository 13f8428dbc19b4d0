import { newSigningKey, KeyRing } from '@app/signing';
import type { FailedProbe, StoredReport } from '@app/storage';
import type { RefreshOffer } from '@app/reports';
import { hostName } from '../../../../test/support/report';
import { statedReport } from '../../../../test/support/stated-report';
import { CachedReport } from '../reports/cached-report';
import { Statements } from './statements';

const [ONE, TWO] = [newSigningKey(), newSigningKey()];
const NOW = Date.now();
const { facts, clocks, ...stated } = statedReport({ at: Math.floor(NOW / 1_000), rails: 1 });

/** Statements about one host, whose report is read again for each caller. */
function statementsOver() {
  const noted: string[] = [];
  const [revoked, optedOut] = [new Set<string>(), new Set<string>()];
  const storedKey = (kid: string, pem: string) => ({
    ...{ kid, pem, signsFrom: new Date(kid === 'one' ? 0 : NOW + 3_600_000) },
    ...(revoked.has(kid) ? { revokedAt: new Date(), revokedReason: '' } : { revokedAt: null, revokedReason: null }),
  });
  const ring = (): KeyRing => new KeyRing([storedKey('one', ONE), storedKey('two', TWO)]);
  const ending = () => ({ refresh: {} as RefreshOffer });
  const held: { report: StoredReport; failed?: FailedProbe } = { report: { version: 1, facts, clocks, stated } };
  const statements = new Statements({
    baseUrl: 'https://probe.example.com',
    reports: {
      stored: () => Promise.resolve(new CachedReport(held.report, ending)),
      peek: () => undefined,
      assertStorageAnswers: () => undefined,
    },
    optOuts: { covers: (name) => optedOut.has(name) },
    keys: { ring: () => Promise.resolve(ring()), trusts: (kid) => ring().trusts(kid) },
    rows: {
      keepReport: ({ sha256 }) => Promise.resolve(void noted.push(sha256)),
      failedProbe: (domain) => {
        noted.push(domain);
        return Promise.resolve(held.failed);
      },
    },
  });
  return { statements, noted, revoked, optedOut, held };
}

const host = hostName();

describe('statements', () => {
  it('are signed once and their report stored once, for concurrent and for later readers', async () => {
    const { statements, noted } = statementsOver();
    const first = await Promise.all(Array.from({ length: 64 }, () => statements.about(host)));
    const later = await statements.about(host);
    expect(new Set([...first, later].map((statement) => statement.token)).size).toBe(1);
    expect(noted).toHaveLength(1);
    await statements.about(host, true);
    expect(noted).toHaveLength(2);
  });

  it('about a host that we failed to probe are also signed once', async () => {
    const { statements, noted, held } = statementsOver();
    held.report = { version: 1, facts, clocks: {} };
    held.failed = { id: 'run', at: new Date(NOW), reason: 'interrupted' };
    const all = await Promise.all(Array.from({ length: 64 }, () => statements.about(host)));
    expect(new Set(all.map((statement) => statement.token)).size).toBe(1);
    expect(noted).toHaveLength(1);
  });

  it('are sent only with the sale of their own report', async () => {
    const { statements, optedOut, held } = statementsOver();
    const withStatement = async (sha256?: string): Promise<string | undefined> => {
      const subject = sha256 === undefined ? {} : { subject: { domain: host.ascii, sha256 } };
      return (await statements.stated({ body: '{}', replayed: true, x402Version: 2, ...subject })).statement;
    };
    const token = (await statements.about(host)).token;
    expect(await withStatement(stated.sha256)).toBe(token);
    expect(await withStatement()).toBeUndefined();
    expect(await withStatement('0'.repeat(64))).toBeUndefined();
    optedOut.add(host.ascii);
    expect(await withStatement(stated.sha256)).toBeUndefined();
    optedOut.clear();
    held.report = { version: 1, facts, clocks: {} };
    expect(await withStatement(stated.sha256)).toBeUndefined();
  });

  it('are signed again after their key is revoked or the evidence is deleted', async () => {
    const { statements, revoked, held } = statementsOver();
    const first = await statements.about(host);
    revoked.add('one');
    const second = await statements.about(host);
    expect([first.kid, second.kid]).toEqual(['one', 'two']);
    const { id, sha256 } = stated;
    held.report = { ...held.report, stated: { id, sha256 } };
    expect((await statements.about(host)).token.length).toBeLessThan(second.token.length);
    revoked.add('two');
    await expect(statements.about(host)).rejects.toMatchObject({ code: 'statement_expired' });
  });
});
