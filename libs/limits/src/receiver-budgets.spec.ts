import { memoryLimits } from '../../../test/support/memory-limits';
import { MESSAGES_PER_BLOCK_MIN, MESSAGES_PER_SITE_MIN, ReceiverBudgets } from './receiver-budgets';
import { TargetBusyError } from './target-busy-error';

describe('the messages of a minute', () => {
  it('are limited per site and per network, for all its sites together', async () => {
    const all = new ReceiverBudgets(memoryLimits());
    const to = (site: string, address: string): Promise<void> => all.spend({ host: site, site }, [address]);
    for (let n = 0; n < MESSAGES_PER_SITE_MIN; n += 1) await to('example.com', `192.0.2.${n}`);
    await expect(to('example.com', '198.51.100.1')).rejects.toThrow(TargetBusyError);
    for (let n = MESSAGES_PER_SITE_MIN; n < MESSAGES_PER_BLOCK_MIN; n += 1) await to(`${n}.example`, '192.0.2.1');
    await expect(to('example.org', '192.0.2.2')).rejects.toThrow(TargetBusyError);
    await to('example.org', '203.0.113.1');
  });
});
