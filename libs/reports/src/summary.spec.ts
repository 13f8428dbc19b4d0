import type { CellStatus } from '@app/detectors';
import type { HostReport } from './host-report';
import { cell, rail } from '../../../test/support/report';
import { summaryOf } from './summary';

const AT = '2026-11-22T00:00:00.000Z';

const report = (statuses: readonly CellStatus[], more: Partial<HostReport> = {}): HostReport =>
  ({
    probedAt: AT,
    callabilityProbedAt: AT,
    reachable: true,
    protocols: statuses.map((status) => cell('llms', status)),
    paymentRails: { payable: false, checkedAt: AT, rails: [] },
    ...more,
  }) as HostReport;

describe('the summary of a report', () => {
  it('names the first way to pay that works', () => {
    const rails = [rail({ reasons: ['amount_zero'] }), rail({ amountUsd: '0.05' })];
    const { headline, tone } = summaryOf(
      report(['present'], { paymentRails: { payable: true, checkedAt: AT, rails } }),
    );
    expect([headline, tone]).toEqual(['Agents can pay here: 0.05 USD in USDC on Base over x402.', 'good']);
  });

  it.each([
    ['Agents can use this site; nothing here is for sale.', report(['present', 'absent'])],
    ['No agent protocols found.', report(['absent'])],
    ['The host answers, but we could not check what it publishes.', report(['error', 'undiscoverable'])],
    ['The host did not answer.', report(['error'], { reachable: false })],
    [
      'It asks for payment, but no known agent client can pay it.',
      report(['present'], {
        paymentRails: { payable: false, checkedAt: AT, rails: [rail({ reasons: ['no_pay_to'] })] },
      }),
    ],
  ])('%s', (headline, of) => {
    expect(summaryOf(of).headline).toBe(headline);
  });

  it('is not good if nobody can pay what the host asks for', () => {
    const rails = [rail({ reasons: ['no_pay_to'] })];
    expect(summaryOf(report(['present'], { paymentRails: { payable: false, checkedAt: AT, rails } })).tone).toBe(
      'middling',
    );
  });

  it('does not guess about payment that could not be checked', () => {
    const seen = [cell('llms'), cell('x402', 'error')];
    expect(summaryOf(report([], { protocols: seen })).headline).toBe(
      'Agents can use this site; we could not check whether they can pay.',
    );
  });

  it('does not guess about payment that was not tested', () => {
    const { callabilityProbedAt, ...untried } = report(['present']);
    expect(callabilityProbedAt).toBe(AT);
    expect(summaryOf(untried).headline).toBe('Agents can use this site; payment was not tested.');
  });

  it('counts present, partial and unreachable protocols', () => {
    expect(summaryOf(report(['present', 'partial', 'error', 'absent'])).more).toBe(
      '1 of 4 protocols present, 1 partial, 1 could not be checked.',
    );
  });

  it('counts every protocol that the page has a tile for', () => {
    expect(summaryOf(report(['present', 'undiscoverable', 'present'])).more).toBe('2 of 3 protocols present.');
  });

  const shell = (status: CellStatus) => cell('mcp', status, { catchAll: true });

  it('says so if a site answers every path with the same page', () => {
    const { headline, more } = summaryOf(
      report([], { protocols: [shell('absent'), shell('partial'), shell('partial'), cell('acp', 'undiscoverable')] }),
    );
    expect([headline, more]).toEqual([
      'Every path answers with the same page, so agents find none of the files they look for.',
      '0 of 4 protocols present.',
    ]);
  });

  it('says what agents find if only the other paths have the same page', () => {
    const protocols = [cell('llms'), shell('partial'), shell('absent')];
    const { headline, more } = summaryOf(report([], { protocols }));
    expect([headline, more]).toEqual([
      'Agents can use this site; nothing here is for sale.',
      '1 of 3 protocols present.',
    ]);
  });

  it('says that the host was never probed, or why it was not', () => {
    const { probedAt, ...unknown } = report([]);
    expect(probedAt).toBe(AT);
    expect(summaryOf(unknown).headline).toBe('Not probed yet.');
    expect(summaryOf({ ...unknown, skipped: { reason: 'robots_txt', at: AT } }).headline).toBe(
      'Its robots.txt asks us to stay away, checked 2026-11-22 00:00 UTC.',
    );
  });
});
