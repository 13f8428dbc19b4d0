import { MAX_RAILS_LISTED, payableHostsPage, type PayableHost } from '@app/reports';
import { cell, rail } from '../../../test/support/report';
import type { HostFacts } from './host-report';
import { payabilityOf } from './payability';

const AT = '2026-11-22T00:00:00.000Z';

const facts = (more: Partial<HostFacts> = {}): HostFacts =>
  ({
    callabilityProbedAt: AT,
    reachable: true,
    protocols: [cell('x402', 'absent'), cell('mpp', 'absent')],
    paymentRails: { payable: false, checkedAt: AT, rails: [] },
    ...more,
  }) as HostFacts;

describe('whether an agent can pay', () => {
  it.each([
    ['payable', { paymentRails: { payable: true, checkedAt: AT, rails: [rail()] } }],
    ['not_payable', {}],
    ['not_payable', { protocols: [cell('x402', 'present'), cell('llms', 'error')] }],
    [
      'not_payable',
      {
        protocols: [cell('x402', 'present'), cell('mpp', 'error')],
        paymentRails: { payable: false, checkedAt: AT, rails: [rail({ reasons: ['no_pay_to'] })] },
      },
    ],
    [
      'unseen',
      {
        protocols: [cell('x402', 'present', { reason: 'server_error' }), cell('mpp', 'absent')],
        paymentRails: { payable: false, checkedAt: AT, rails: [rail({ reasons: ['no_pay_to'] })] },
      },
    ],
    ['unseen', { protocols: [cell('x402', 'error'), cell('mpp', 'absent')] }],
    ['unseen', { protocols: [cell('mpp', 'error')] }],
    ['unseen', { protocols: [cell('x402', 'partial', { reason: 'not_exercised' })] }],
    ['unseen', { reachable: false, protocols: [] }],
  ] as const)('is %s with %j', (payability, more) => {
    expect(payabilityOf(facts(more))).toBe(payability);
  });

  it('is untried until priced routes were called, for any published documents', () => {
    const { callabilityProbedAt, ...untried } = facts({ protocols: [cell('x402', 'error')] });
    expect([callabilityProbedAt, payabilityOf(untried)]).toEqual([AT, 'untried']);
  });
});

const host = (domain: string, rails = 1): PayableHost => ({
  domain,
  rails: Array.from({ length: rails }, () => rail()),
  observedAt: '2026-11-01T12:00:00.000Z',
});

describe('payableHostsPage', () => {
  it('continues after its last host if one more was found', () => {
    const found = ['a.example', 'b.example', 'c.example'].map((name) => host(name));
    expect(payableHostsPage(found, 2)).toMatchObject({
      hosts: [{ domain: 'a.example' }, { domain: 'b.example' }],
      nextCursor: 'b.example',
    });
  });

  it('has no cursor at the end of the list', () => {
    expect(payableHostsPage([host('a.example')], 1)).not.toHaveProperty('nextCursor');
    expect(payableHostsPage([], 1)).toEqual({ hosts: [] });
  });

  it('shows the first options of a host with many', () => {
    const [first] = payableHostsPage([host('a.example', MAX_RAILS_LISTED + 1)], 1).hosts;
    expect(first?.rails).toHaveLength(MAX_RAILS_LISTED);
  });
});
