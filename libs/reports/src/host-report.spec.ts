import { neverProbed } from './assemble-report';
import { parsed } from './answer-schema';
import { HostName } from '@app/hosts';
import { HostFacts, readFacts } from './host-report';
import { renderFacts } from './render';

const OBSERVED = '2026-11-21T12:00:00.000Z';
const evidence = {
  observedAt: OBSERVED,
  url: 'https://shop.example.com/.well-known/ucp',
  method: 'GET',
  redirects: [],
};
const cell = { id: 'ucp', status: 'absent', version: null, details: { note: 'html', evidence: [evidence] } };

function stored(changes: object): string {
  const reading = HostName.parse('shop.example.com');
  if (!reading.ok) throw new Error(reading.sentence);
  return JSON.stringify({ ...neverProbed(reading.host), ...changes });
}

describe('stored facts', () => {
  it.each([
    ['of a host never probed', {}],
    [
      'with its fields in another order, and with additional fields',
      { protocols: [{ extra: [1], ...cell }], later: { b: 1, a: 2 } },
    ],
    ['with a field called __proto__', JSON.parse('{"ucp":{"__proto__":{"x":1}}}') as object],
    ['with a cell of a removed detector', { protocols: [{ ...cell, id: 'gopher' }] }],
    ['with a cell without evidence', { protocols: [{ ...cell, details: {} }] }],
  ])('%s are read unchanged', (_, changes) => {
    expect(renderFacts(readFacts(stored(changes)))).toBe(stored(changes));
  });

  it.each([
    ['an unknown status', { protocols: [{ ...cell, status: 'perhaps' }] }, 'protocols'],
    ['rails that are not a list', { paymentRails: { payable: true, checkedAt: null, rails: {} } }, 'rails'],
    ['a domain that is not text', { domain: 1 }, 'domain'],
    ['details that are not an object', { protocols: [{ ...cell, details: 'none' }] }, 'details'],
  ])('with %s are rejected, with the location', (_, changes, slot) => {
    expect(() => readFacts(stored(changes))).toThrow(slot);
  });

  it('are returned as the same object, so that nothing is lost', () => {
    const value: unknown = JSON.parse(stored({ later: true }));
    expect(parsed(HostFacts, value)).toBe(value);
  });
});
