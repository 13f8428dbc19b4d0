import type { HostReport } from '@app/reports';
import { cell } from '../../../../../test/support/report';
import { withoutRails } from './rails';

const AT = '2026-11-22T00:00:00.000Z';
const report = (more: object): HostReport =>
  ({ reachable: true, protocols: [], paymentRails: { payable: false, checkedAt: null, rails: [] }, ...more }) as never;

describe('a report without a way to pay', () => {
  it.each([
    ['Nobody has tried the paid routes of this host. A live look does.', {}],
    ['No route answered with a payment challenge.', { callabilityProbedAt: AT }],
    [
      'Whether the host asks for payment could not be seen.',
      { callabilityProbedAt: AT, protocols: [cell('x402', 'error')] },
    ],
  ])('says: %s', (said, more) => {
    expect(withoutRails(report(more))).toBe(said);
  });
});
