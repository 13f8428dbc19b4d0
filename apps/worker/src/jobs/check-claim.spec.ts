import { newChallenge } from '@app/owners';
import { agreed } from './check-claim';

const OURS = newChallenge();
const holds = { exists: true, records: [`token=${OURS}`], target: null };
const none = { exists: false, records: [], target: null };

describe('the record of a claim', () => {
  it.each([
    ['found', 'all name servers have it', [holds, holds]],
    ['absent', 'none has it', [none, none]],
    ['disagree', 'one has it and another has not', [holds, none]],
    ['unknown', 'one does not answer', [holds, undefined]],
    ['unknown', 'no name server is asked', []],
  ] as const)('is %s when %s', (dns, _, answers) => {
    expect(agreed(answers, OURS)).toEqual({ dns, target: null });
  });

  it('names the CNAME that one of them was led by', () => {
    expect(agreed([holds, { ...holds, target: 'claims.example.net' }], OURS)).toEqual({
      dns: 'found',
      target: 'claims.example.net',
    });
  });
});
