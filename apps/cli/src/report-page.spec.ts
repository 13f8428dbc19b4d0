import { batchItem, type HostFacts } from '@app/reports';
import { cell, fix, rail } from '../../../test/support/report';
import { batchPage } from './batch-page';
import { paintFor } from './terminal/paint';
import { reportPage } from './report-page';

const AT = '2026-11-22T00:00:00.000Z';
const plain = paintFor({ isTTY: false }, undefined);

/** The report of a free probe. */
const FREE: HostFacts = {
  domain: 'shop.example.com',
  origin: 'https://shop.example.com',
  probedAt: AT,
  reachable: true,
  ucp: null,
  fixes: [],
  protocols: [cell('x402', 'absent')],
  paymentRails: { payable: false, checkedAt: null, rails: [] },
};

const heading = (facts: HostFacts): readonly string[] => reportPage(facts, plain, false).split('\n').slice(0, 3);

describe('the first lines of a report', () => {
  it.each([
    [
      'Agents can pay here: 0.01 USD in USDC on Base over x402.',
      '0 of 1 protocols present.',
      { paymentRails: { payable: true, checkedAt: AT, rails: [rail()] } },
    ],
    ['No agent protocols found.', '0 of 1 protocols present.', {}],
    [
      'The host did not answer.',
      'We could not check what it publishes.',
      { reachable: false, protocols: [cell('x402', 'error')] },
    ],
  ])('are the verdict of the page: %s', (headline, more, facts) => {
    expect(heading({ ...FREE, callabilityProbedAt: AT, ...facts })).toEqual([
      'shop.example.com  https://shop.example.com',
      headline,
      `${more} Checked 2026-11-22 00:00 UTC.`,
    ]);
  });

  it('say that payment was not tested after a free probe', () => {
    expect(heading(FREE)[1]).toBe('No agent protocols found; payment was not tested.');
  });
});

describe('a host that could not be checked at all', () => {
  const failure = (evidence: Readonly<Record<string, string>>) => ({
    ...FREE,
    reachable: false,
    protocols: [
      cell('acp', 'undiscoverable'),
      ...['ucp', 'x402'].map((id) => ({
        ...cell(id, 'error'),
        details: { reason: 'tls_error', evidence: [{ failure: 'tls_error', ...evidence }] },
      })),
    ],
  });

  it('has one sentence instead of its protocols', () => {
    const page = reportPage(failure({ failureDetail: 'expired' }), plain, false);
    expect(page).toMatch(/\nThe certificate has expired\.\n.*\nInstall a certificate/);
    expect(page).not.toMatch(/^ucp/m);
  });

  it('lists each protocol with its reason if details are shown', () => {
    expect(reportPage(failure({}), plain, true)).toMatch(/^ucp +unknown +The server has no certificate/m);
  });
});

describe('a host whose probe was skipped', () => {
  const { probedAt, reachable, ...facts } = { ...FREE, protocols: [] };
  const linesOf = (skipped: unknown) => reportPage({ ...facts, skipped }, plain, false).split('\n');

  it('is not reported as never probed', () => {
    expect([probedAt, reachable]).toEqual([AT, true]);
    expect(linesOf({ reason: 'rate_limited', at: AT, until: '2026-11-22T00:01:00.000Z' }).slice(0, 3)).toEqual([
      'shop.example.com  https://shop.example.com',
      'It limits our requests and asked us to wait until 2026-11-22 00:01 UTC, checked 2026-11-22 00:00 UTC.',
      'A paid probe can start after that. If the host still answers 429, its checks are inconclusive.',
    ]);
    expect(linesOf({ reason: 'of a later version' })[1]).toBe('Not probed yet.');
  });
});

describe('the fixes of a report', () => {
  const fixes = Array.from({ length: 8 }, (_, i) => ({ ...fix('llms', `kind_${i}`), fix: `Do ${i}.` }));

  it('take one line each', () => {
    const page = reportPage({ ...FREE, fixes }, plain, false);
    expect(page.match(/^ {2}llms\.kind_\d {2}No llms document was found\.$/gm)).toHaveLength(8);
    expect(page).not.toContain('Do 0.');
    expect(page.trimEnd().split('\n').at(-1)).toBe('For the evidence and the fixes in full, add --verbose.');
  });

  it('are left out if they advise a host that sells nothing to take payments', () => {
    const page = reportPage({ ...FREE, fixes: [fix('mpp', 'missing')] }, plain, true);
    expect(page.split('\n').slice(-3)).toEqual([
      'What you could add to sell to agents, in full with --json',
      '  mpp.missing  No mpp document was found.',
      '',
    ]);
  });

  it('with details, are five in full and the others one line each', () => {
    const lines = reportPage({ ...FREE, fixes }, plain, true).split('\n');
    expect(lines.filter((line) => line.startsWith('    Do '))).toHaveLength(5);
    expect(lines.slice(-5)).toEqual([
      '3 more, in full with --json:',
      ...[5, 6, 7].map((i) => `  llms.kind_${i}  No llms document was found.`),
      '',
    ]);
  });

  it('are all in full if there are only five', () => {
    expect(reportPage({ ...FREE, fixes: fixes.slice(0, 5) }, plain, true)).not.toContain('more, in full');
  });
});

describe('a line of a batch', () => {
  it('does not report payment as missing if it could not be checked', () => {
    const item = batchItem(FREE, 'https://probe.example.com/api/v1/hosts/shop.example.com');
    const line = (errors: readonly string[]) => batchPage([{ ...item, errors }], plain);
    expect(line(['mcp'])).toBe('shop.example.com  not payable  nothing present  could not check: mcp\n');
    expect(line(['x402'])).toBe('shop.example.com  payment unknown  nothing present  could not check: x402\n');
  });
});
