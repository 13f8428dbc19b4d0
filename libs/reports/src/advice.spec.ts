import type { ProtocolCell } from '@app/detectors';
import { cell, fix, rail } from '../../../test/support/report';
import type { PaymentRail } from './rail-members';
import { adviceOf } from './advice';

const FIXES = ['x402', 'llms', 'ai-plugin'].map((protocol) => fix(protocol));

const sorted = (protocols: readonly ProtocolCell[], rails: readonly PaymentRail[] = []) => {
  const paymentRails = { payable: false, checkedAt: null, rails };
  const { leading, additions } = adviceOf({ fixes: FIXES, protocols, paymentRails });
  return [leading, additions].map((fixes) => fixes.map(({ id }) => id));
};

describe('the advice of a report', () => {
  it.each([
    ['publishes no protocol of those who sell', [cell('llms'), cell('x402', 'absent')]],
    ['answers with one page where a profile would be', [cell('ucp', 'partial', { catchAll: true })]],
    ['could not be checked', [cell('x402', 'error'), cell('mpp', 'error')]],
    ['has a faulty file where ACP would be', [cell('acp', 'undiscoverable', { observed: { verdict: 'partial' } })]],
  ])('keeps payment apart for a host that %s', (_, protocols) => {
    expect(sorted(protocols)).toEqual([['llms.missing'], ['x402.missing']]);
  });

  it.each([
    ['publishes a profile for shoppers', [cell('ucp')], []],
    ['publishes a manifest with faults', [cell('mpp', 'partial')], []],
    ['states prices in its API description', [cell('openapi', 'present', { pricedOperations: 2 })], []],
    ['publishes the discovery file of ACP', [cell('acp', 'undiscoverable', { observed: { verdict: 'present' } })], []],
    ['asked for payment', [cell('x402', 'error')], [rail({ reasons: ['amount_zero'] })]],
  ])('leads with payment for a host that %s', (_, protocols, rails) => {
    expect(sorted(protocols, rails)).toEqual([['x402.missing', 'llms.missing'], []]);
  });

  it('does not miss a retired format, and keeps the faults of one that is there', () => {
    const paymentRails = { payable: false, checkedAt: null, rails: [] };
    const fixes = [fix('ai-plugin', 'private_key'), fix('ai-plugin')];
    const { leading } = adviceOf({ fixes, protocols: [], paymentRails });
    expect(leading.map(({ id }) => id)).toEqual(['ai-plugin.private_key']);
  });

  it('begins with the one fault of a host that answers every path with one page', () => {
    const protocols = [cell('llms', 'partial', { catchAll: true }), cell('mcp', 'absent', { catchAll: true })];
    const paymentRails = { payable: false, checkedAt: null, rails: [] };
    expect(adviceOf({ fixes: [], protocols, paymentRails }).first).toMatch(/^First, answer 404/);
    expect(adviceOf({ fixes: [], protocols: [cell('llms')], paymentRails }).first).toBeUndefined();
  });
});
