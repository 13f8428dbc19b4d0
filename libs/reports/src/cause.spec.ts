import type { JsonObject } from '@app/detectors';
import { isReason, REASONS, TLS_WORDS, WALLS, type Reason } from './reasons';
import type { HostReport } from './host-report';
import { cell } from '../../../test/support/report';
import { causeOf } from './cause';
import { summaryOf } from './summary';

const IDS = ['ucp', 'acp', 'mcp', 'llms', 'openapi'] as const;

const failed = (details: JsonObject) =>
  ({
    probedAt: '2026-11-22T00:00:00.000Z',
    protocols: IDS.map((id) => cell(id, id === 'acp' ? 'undiscoverable' : 'error', details)),
  }) as unknown as HostReport;

const refused = (failureDetail: string, certificate?: JsonObject) =>
  failed({
    reason: 'tls_error',
    evidence: [{ failure: 'tls_error', failureDetail, ...(certificate && { certificate }) }],
  });

describe('the cause of a probe that could check nothing', () => {
  it.each(Object.keys(REASONS) as Reason[])('%s has a sentence for the summary, and a remedy', (reason) => {
    const cause = causeOf(failed({ reason }));
    expect(cause).toEqual({ reason, ...REASONS[reason] });
    expect(summaryOf({ ...failed({ reason }), reachable: false }).headline).toBe(REASONS[reason].what);
  });

  it.each(Object.keys(TLS_WORDS))('a certificate that is %s has its own sentence', (detail) => {
    expect(causeOf(refused(detail))?.what).toBe(TLS_WORDS[detail as keyof typeof TLS_WORDS]);
  });

  const CERTIFICATE = {
    validFrom: '2026-08-05T10:00:00.000Z',
    validTo: '2026-11-03T10:00:00.000Z',
    names: '*.shops.example.net',
  };

  it.each([
    ['expired', 'The certificate expired on 3 November 2026.'],
    ['not_yet_valid', 'The certificate is valid only from 5 August 2026.'],
    ['name_mismatch', 'The certificate is for another name: *.shops.example.net.'],
  ])('a certificate that is %s comes with its dates or names', (detail, sentence) => {
    expect(causeOf(refused(detail, CERTIFICATE))?.what).toBe(sentence);
  });

  it.each(Object.entries(WALLS))('%s is named, with the rule that allows the prober', (wall, { name }) => {
    const cause = causeOf(failed({ reason: 'bot_challenge', wall }));
    expect(cause?.what).toBe(`${name} challenged our probe.`);
    expect(cause?.rule).toMatch(/hostprobe|signature agents/);
  });

  it('names the target of a redirect', () => {
    const cause = causeOf(failed({ reason: 'redirected_to_login', redirectedTo: 'id.example.net' }));
    expect(cause?.what).toBe('The host redirects visitors to a login (id.example.net).');
  });

  it.each([
    ['one cell found something', ['present', 'error', 'error', 'error', 'error']],
    ['most cells were decided', ['absent', 'absent', 'absent', 'error', 'error']],
  ] as const)('is missing if %s', (_, statuses) => {
    const protocols = statuses.map((status, at) => cell(IDS[at]!, status, { reason: 'timeout' }));
    expect(causeOf({ protocols })).toBeUndefined();
  });

  it('always has a sentence', () => {
    expect(isReason('constructor')).toBe(false);
    expect(causeOf(failed({ reason: 'something_else' }))).toBeUndefined();
  });
});
