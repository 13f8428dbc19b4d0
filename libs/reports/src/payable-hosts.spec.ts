import { MAX_RAILS_LISTED, payableHostsPage, type PayableHost } from '@app/reports';
import { rail } from '../../../test/support/report';

const host = (domain: string, rails = 1): PayableHost => ({
  domain,
  rails: Array.from({ length: rails }, () => rail()),
  observedAt: '2026-11-01T12:00:00.000Z',
});

describe('payableHostsPage', () => {
  it('continues after its last host when one more was found', () => {
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

  it('shows the first rails of a host with many', () => {
    const [first] = payableHostsPage([host('a.example', MAX_RAILS_LISTED + 1)], 1).hosts;
    expect(first?.rails).toHaveLength(MAX_RAILS_LISTED);
  });
});
