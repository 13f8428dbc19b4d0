import type { StoredReport } from '@app/storage';
import { hostName } from '../../../../test/support/report';
import { BatchedReportReads } from './batched-report-reads';

/** Hosts whose SQL statements are answered when the test says so. */
class Hosts {
  readonly statements: { readonly domains: readonly string[]; readonly answer: (error?: Error) => void }[] = [];

  findReports(domains: readonly string[]): Promise<ReadonlyMap<string, StoredReport>> {
    return new Promise((resolve, reject) => {
      const known = domains.filter((domain) => !domain.startsWith('unknown'));
      const reports = new Map(
        known.map((domain) => [domain, { version: 1, facts: `{"domain":"${domain}"}`, clocks: {} }]),
      );
      const answer = (error?: Error) => {
        if (error) reject(error);
        else resolve(reports);
      };
      this.statements.push({ domains, answer });
    });
  }
}

const turnEnd = () => new Promise((resolve) => setImmediate(resolve));
const names = (count: number) => Array.from({ length: count }, (_, index) => `h${index}.example.com`);

describe('reads of stored reports', () => {
  let hosts: Hosts;
  let reads: BatchedReportReads<string | undefined>;
  beforeEach(() => {
    hosts = new Hosts();
    reads = new BatchedReportReads(hosts, (_host, stored) => stored?.facts);
  });

  it('in one turn share a query, and each gets its own report', async () => {
    const asked = ['a.example.com', 'b.example.com', 'a.example.com', 'unknown.example.com'];
    const found = Promise.all(asked.map((domain) => reads.find(hostName(domain))));
    await turnEnd();
    expect(hosts.statements.map(({ domains }) => domains)).toEqual([
      ['a.example.com', 'b.example.com', 'unknown.example.com'],
    ]);
    hosts.statements[0]?.answer();
    expect(await found).toEqual([
      '{"domain":"a.example.com"}',
      '{"domain":"b.example.com"}',
      '{"domain":"a.example.com"}',
      undefined,
    ]);
  });

  it('do not join a query that was already sent', async () => {
    void reads.find(hostName('a.example.com'));
    await turnEnd();
    void reads.find(hostName('a.example.com'));
    await turnEnd();
    expect(hosts.statements).toHaveLength(2);
  });

  it('use at most 32 rows per query and four queries at once, and continue when one ends', async () => {
    const found = Promise.all(names(200).map((domain) => reads.find(hostName(domain))));
    for (let turn = 0; turn < 10; turn += 1) await turnEnd();
    expect(hosts.statements.map(({ domains }) => domains.length)).toEqual([32, 32, 32, 32]);
    for (let answered = 0; answered < 7; answered += 1) {
      hosts.statements[answered]?.answer();
      await turnEnd();
      await turnEnd();
    }
    expect(new Set(await found).size).toBe(200);
    expect(hosts.statements.flatMap(({ domains }) => domains)).toEqual(names(200));
  });

  it('fail with the query they share, and do not affect the next ones', async () => {
    const failed = Promise.allSettled([reads.find(hostName('a.example.com')), reads.find(hostName('b.example.com'))]);
    await turnEnd();
    hosts.statements[0]?.answer(new Error('the database is away'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const found = reads.find(hostName('a.example.com'));
    await turnEnd();
    hosts.statements[1]?.answer();
    expect(await found).toBe('{"domain":"a.example.com"}');
  });

  it('that wait fail too when storage does not answer a query', async () => {
    const ends = names(200).map((domain) => reads.find(hostName(domain)).catch((error: unknown) => String(error)));
    await turnEnd();
    await turnEnd();
    for (const { answer } of [...hosts.statements]) answer(new Error('Query read timeout'));
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['Error: Query read timeout']));
  });
});
