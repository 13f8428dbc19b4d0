import { warmUp } from './warm-up';

describe('the host for warming up detector threads', () => {
  it('is payable and has documents for all its detectors, so that their code gets compiled', async () => {
    const judgement = await warmUp(1);
    expect(judgement?.failures).toEqual([]);
    const found = judgement?.cells.filter(({ status }) => status !== 'absent').map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining(['a2a', 'x402', 'llms', 'openapi']));
    expect(judgement?.rails.payable).toBe(true);
  });
});
