import { cell, hostName, rail } from '../../../test/support/report';
import { assembleFacts, neverProbed } from './assemble-report';
import { batchFailure, batchItem } from './batch';

const REPORT = 'https://api.example.net/api/v1/hosts/shop.example.com';

describe('batchItem', () => {
  it('summarizes a report by status', () => {
    const facts = assembleFacts({
      host: hostName(),
      origin: 'https://shop.example.com',
      reachable: true,
      cells: [
        cell('a'),
        cell('b', 'partial'),
        cell('c', 'error'),
        cell('d', 'absent'),
        cell('e', 'undiscoverable'),
        cell('f'),
      ],
      fixes: [],
      rails: { payable: true, checkedAt: null, rails: [rail()] },
      signals: [],
      clocks: { probedAt: '2026-11-01T12:00:00.000Z' },
    });
    expect(batchItem(facts, REPORT)).toEqual({
      domain: 'shop.example.com',
      ok: true,
      reachable: true,
      payable: true,
      probedAt: '2026-11-01T12:00:00.000Z',
      present: ['a', 'f'],
      partial: ['b'],
      errors: ['c'],
      report: REPORT,
    });
  });

  it('reports a host without timestamps as unreachable and not payable', () => {
    expect(batchItem(neverProbed(hostName()), REPORT)).toMatchObject({
      reachable: false,
      payable: false,
      probedAt: null,
    });
  });
});

describe('batchFailure', () => {
  it('contains the sentence and the code of a failed probe', () => {
    expect(batchFailure('shop.example.com', 'probe_timeout', 'the probe took too long')).toEqual({
      domain: 'shop.example.com',
      ok: false,
      error: 'the probe took too long',
      code: 'probe_timeout',
    });
  });
});
