import type { StoredReport } from '@app/storage';
import { assembleFacts } from '@app/reports';
import { cell, hostName } from '../../../../test/support/report';
import { payPreflight } from './pay-preflight';
import { payToCheck } from './payto-check';
import type { ProductDeps } from './product-deps';

/** A stored report whose x402 cell has the given reason, probed just now. */
function reportWith(reason: string): StoredReport {
  const probedAt = new Date().toISOString();
  const clocks = { probedAt, callabilityProbedAt: probedAt };
  const cells = [cell('x402', 'error', { reason }), ...['ucp', 'mpp'].map((id) => cell(id, 'absent'))];
  const rails = { payable: false, checkedAt: probedAt, rails: [] };
  const origin = 'https://shop.example.com';
  const facts = assembleFacts({
    host: hostName(),
    origin,
    reachable: true,
    cells,
    fixes: [],
    rails,
    signals: [],
    clocks,
  });
  return { version: 1, facts: JSON.stringify(facts), clocks };
}

describe('the work of a pay preflight', () => {
  it.each([
    ['server_error', 0, true],
    ['not_reached', 1, false],
  ])('with the stored reason %s runs %i probes (charged: %s)', async (reason, due, charge) => {
    let probes = 0;
    const deps = {
      hosts: { findReport: () => Promise.resolve(reportWith(reason)) },
      probes: { admit: () => Promise.resolve(), run: () => Promise.resolve((probes += 1)) },
      installation: { baseUrl: 'https://probe.example.com' },
    } as unknown as ProductDeps;
    const done = await payPreflight.order({ domain: 'shop.example.com' }, deps, undefined).job.work();
    expect(done.charge).toBe(charge);
    expect(JSON.parse(done.content.body)).toMatchObject({ sku: 'pay_preflight', data: { canPay: 'unknown' } });
    expect(probes).toBe(due);
  });
});

describe('the work of a payTo check', () => {
  it.each([true, false])(
    'is charged only if the probe reached something that can name a recipient (%s)',
    async (reached) => {
      const finding = { reachable: true, reached, statements: [], rejected: [] };
      const installation = { baseUrl: 'https://probe.example.com' };
      const deps = { probes: { run: () => Promise.resolve(finding) }, installation } as unknown as ProductDeps;
      const address = '0x52908400098527886E0F7030069857D2E4169EE7';
      const done = await payToCheck.order({ domain: 'shop.example.com', address }, deps, undefined).job.work();
      expect(done.charge).toBe(reached);
      expect(JSON.parse(done.content.body)).toMatchObject({ sku: 'payto_check', data: { verdict: 'no_evidence' } });
    },
  );
});
