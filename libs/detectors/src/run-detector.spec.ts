import { evidence, plain } from '../../../test/support/evidence';
import type { Detector } from './judgement/detector';
import { judgeHost } from './judge-host';
import { llms } from './llms/llms.detector';

const seen = evidence({ '/llms.txt': plain('# Shop\n') });
const bug = (): never => {
  throw new Error('planted');
};

describe('a detector with a bug', () => {
  it.each<readonly [string, Partial<Detector>]>([
    ['judges', { judge: bug }],
    ['advises', { advise: bug }],
  ])('that throws when it %s only makes its own cell an error, with the stack for the log', (_, faulty) => {
    const { cells, fixes, failures } = judgeHost(
      [
        { ...llms, ...faulty },
        { ...llms, id: 'other' },
      ],
      seen,
    );
    expect(cells[0]).toEqual({
      id: 'llms',
      status: 'error',
      version: null,
      details: { reason: 'detector_failed', evidence: [] },
    });
    expect(cells[1]).toMatchObject({ id: 'other', status: 'present' });
    expect(fixes.filter(({ protocol }) => protocol === 'llms')).toEqual([]);
    expect(failures).toEqual([{ detector: 'llms', stack: expect.stringMatching(/^Error: planted\n +at .*bug/) }]);
  });
});
