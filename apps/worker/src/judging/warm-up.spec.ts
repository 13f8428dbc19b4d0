import { warmUp } from './warm-up';

describe('the host that judging threads are warmed with', () => {
  it('is read by the detectors of what it publishes, and payable, so that their code is what is compiled', async () => {
    const judgement = await warmUp(1);
    expect(judgement?.failures).toEqual([]);
    const found = judgement?.cells.filter(({ status }) => status !== 'absent').map(({ id }) => id);
    expect(found).toEqual(expect.arrayContaining(['a2a', 'x402', 'llms', 'openapi']));
    expect(judgement?.rails.payable).toBe(true);
  });
});
