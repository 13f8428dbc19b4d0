import { withoutRails, type HostReport } from '@app/reports';
import { cell, rail } from '../../../../../test/support/report';
import { railList } from './rails';

const AT = '2026-11-22T00:00:00.000Z';
const report = (more: object): HostReport =>
  ({ reachable: true, protocols: [], paymentRails: { payable: false, checkedAt: null, rails: [] }, ...more }) as never;

describe('a report without a way to pay', () => {
  it.each([
    ['Payment was not tested yet. A live probe tests it.', {}],
    ['No endpoint asked for payment.', { callabilityProbedAt: AT }],
    [
      'We could not check whether this host asks for payment.',
      { callabilityProbedAt: AT, protocols: [cell('x402', 'error')] },
    ],
  ])('says: %s', (said, more) => {
    expect(withoutRails(report(more))).toBe(said);
  });
});

describe('a way to pay', () => {
  const clients = [
    { name: '@x402/fetch', versions: ['2.20', '2.27'], pays: true },
    { name: 'mppx', versions: ['0.11'], pays: false, reason: 'domain_missing' },
  ];
  const pageOf = (rails: readonly object[]): string =>
    railList(report({ paymentRails: { payable: true, checkedAt: AT, rails } })).markup;

  it('lists the released clients that can pay, and why the others cannot', () => {
    const page = pageOf([rail({ clients })]).replace(/<[^>]+>|\s+/g, ' ');
    expect(page).toMatch(/Works with +@x402\/fetch 2\.20, 2\.27/);
    expect(page).toMatch(/Fails with +mppx 0\.11: the EIP-712 domain of the token is missing \(domain_missing\)/);
  });

  it('says in sentences which checks failed', () => {
    const page = pageOf([rail({ reasons: ['amount_zero', 'payto_empty'] })]);
    expect(page).toContain('The amount is zero. The recipient is missing.');
    expect(page).not.toMatch(/amount_zero|payto_empty/);
  });

  it('links the recipient and the token to a block explorer, and offers to copy them', () => {
    const { payTo, asset } = rail();
    const page = pageOf([rail(), rail({ network: 'eip155:424242' })]);
    expect([...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      `https://basescan.org/address/${payTo}`,
      `https://basescan.org/token/${asset}`,
    ]);
    const copied = [...page.matchAll(/data-copy="([^"]+)"/g)].map(([, id]) => id);
    expect(copied).toEqual(['rail-0-pay-to', 'rail-0-asset', 'rail-1-pay-to', 'rail-1-asset']);
    for (const id of copied) expect(page).toContain(`<code id="${id}">`);
  });

  it('does not mention clients when none supports the network', () => {
    expect(pageOf([rail({ clients: [] })])).not.toMatch(/Works with|Fails with/);
  });
});
