import type { CellStatus } from '@app/detectors';
import type { HostReport } from '@app/reports';
import { cell, rail } from '../../../../../test/support/report';
import { verdictOf } from './verdict';

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

describe('the verdict line', () => {
  it('names the first way to pay that works', () => {
    const rails = [rail({ reasons: ['amount_zero'] }), rail({ amountUsd: '0.05' })];
    const { headline, tone } = verdictOf(
      report(['present'], { paymentRails: { payable: true, checkedAt: AT, rails } }),
    );
    expect([headline, tone]).toEqual(['An agent can pay here: 0.05 USD in USDC on Base by x402.', 'good']);
  });

  it.each([
    ['Agents find something here, and nothing to pay for.', report(['present', 'absent'])],
    ['Agents find nothing here.', report(['absent'])],
    ['The host answers, but did not let us look.', report(['error', 'undiscoverable'])],
    ['The host did not answer.', report(['error'], { reachable: false })],
    [
      'It asks for payment, but not so that an agent could pay.',
      report(['present'], {
        paymentRails: { payable: false, checkedAt: AT, rails: [rail({ reasons: ['no_pay_to'] })] },
      }),
    ],
  ])('%s', (headline, of) => {
    expect(verdictOf(of).headline).toBe(headline);
  });

  it('does not guess about payment that could not be seen', () => {
    const seen = [cell('llms'), cell('x402', 'error')];
    expect(verdictOf(report([], { protocols: seen })).headline).toBe(
      'Agents find something here; whether they can pay could not be seen.',
    );
  });

  it('does not guess about payment that nobody tried', () => {
    const { callabilityProbedAt, ...untried } = report(['present']);
    expect(callabilityProbedAt).toBe(AT);
    expect(verdictOf(untried).headline).toBe('Agents find something here; whether they can pay was not tried.');
  });

  it('counts what is present, in part and out of reach', () => {
    expect(verdictOf(report(['present', 'partial', 'error', 'absent'])).more).toBe(
      '1 of 4 protocols are present, 1 in part, 1 could not be looked at.',
    );
  });

  it('says that nobody has looked', () => {
    const { probedAt, ...unknown } = report([]);
    expect(probedAt).toBe(AT);
    expect(verdictOf(unknown).headline).toBe('Nobody has looked at this host yet.');
  });
});
