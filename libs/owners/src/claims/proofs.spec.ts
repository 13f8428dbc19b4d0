import * as fc from 'fast-check';
import { newChallenge } from './claim';
import { findingOf, toPublish, type ClaimFinding } from './proofs';
import { isSuffixOfTenants } from './zone';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const OURS = newChallenge();
const FOREIGN = newChallenge();

const CLAIM = { domain: 'shop.example.com', challenge: OURS, nameServers: [] };
const { record, file } = toPublish(CLAIM.domain, OURS);
const has = (...records: string[]) => ({ exists: true, records, target: null });
const none = { exists: false, records: [], target: null };
const ours = has(record.value);
type Answers = Parameters<typeof findingOf>[1];

function recordFound(records: Answers['records'][number]): Pick<ClaimFinding, 'dns' | 'target'> {
  const { dns, target } = findingOf(CLAIM, { records: [records], documents: new Map(), zone: [] }, NOW);
  return { dns, target };
}

describe('the record of a claim', () => {
  it.each([
    ['as it is shown', [record.value]],
    ['alone', [OURS]],
    ['next to other records', ['v=spf1 -all', `token=${OURS}`]],
    ['with members in capitals', [`TOKEN=${OURS} EXPIRY=2026-11-22`]],
  ])('counts %s', (_, records) => {
    expect(recordFound([has(...records)])).toEqual({ dns: 'found', target: null });
  });

  it.each([
    ['of another claim', [toPublish(CLAIM.domain, FOREIGN).record.value]],
    ['that has expired', [`token=${OURS} expiry=2026-11-21`]],
    ['whose expiry cannot be read', [`token=${OURS} expiry=soon`]],
    ['with the token second', [`attr=x token=${OURS}`]],
    ['with a letter too many', [`token=${OURS}0`]],
    ['cut short', [`token=${OURS.slice(1)}`]],
    ['that is too long', [`token=${OURS} ${'x'.repeat(1_024)}`]],
  ])('does not count %s', (_, records) => {
    expect(recordFound([has(...records)])).toEqual({ dns: 'absent', target: null });
  });

  it('does not count with any other content', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 80 })), (records) => {
        expect(recordFound([has(...records)])).toEqual({ dns: 'absent', target: null });
      }),
    );
  });

  it.each([
    ['found', 'all name servers have it', [ours, ours]],
    ['absent', 'none has it', [none, none]],
    ['disagree', 'one has it and another has not', [ours, none]],
    ['unknown', 'one does not answer', [ours, undefined]],
    ['unknown', 'no name server is asked', []],
  ] as const)('is %s when %s', (dns, _, answers) => {
    expect(recordFound(answers)).toEqual({ dns, target: null });
  });

  it('contains the CNAME that one of them followed', () => {
    const target = 'claims.example.net';
    expect(recordFound([ours, { ...ours, target }])).toEqual({ dns: 'found', target });
  });
});

describe('the file of a claim', () => {
  const typed = (type: string) => [['content-type', type]] as const;
  const answer = { status: 200, headers: typed('text/plain; charset=utf-8'), body: `${OURS}\n`, bytes: 65 };

  it.each([
    ['found', answer],
    ['absent', { ...answer, status: 404 }],
    ['absent', { ...answer, body: FOREIGN }],
    ['absent', { ...answer, body: `<pre>${OURS}</pre>` }],
    ['redirected', { ...answer, status: 302 }],
    ['not_text', { ...answer, headers: typed('text/html') }],
    ['not_text', { ...answer, headers: typed('text/plainish') }],
    ['not_text', { ...answer, headers: [] }],
    ['too_large', { ...answer, bytes: 4_097 }],
    ['unknown', { ...answer, status: 503 }],
    ['unknown', { ...answer, status: 403 }],
    ['unknown', undefined],
  ] as const)('is %s', (found, given) => {
    const documents: Answers['documents'] = new Map(given ? [[file.url, given]] : []);
    expect(findingOf(CLAIM, { records: [], documents, zone: [] }, NOW).file).toBe(found);
  });
});

describe('a name shared by many tenants', () => {
  it.each(['github.io', 'vercel.app', 'co.uk'])('is %s', (name) => {
    expect(isSuffixOfTenants(name)).toBe(true);
  });

  it.each(['alice.github.io', 'shop.example.com', 'example.com'])('is not %s', (name) => {
    expect(isSuffixOfTenants(name)).toBe(false);
  });
});
