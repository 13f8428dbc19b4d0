import { createLogger } from './logger';
import { workFor } from './request-id';

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(createLogger('test', 'trace', { write: (line) => lines.push(line) }));
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

describe('the log', () => {
  it.each([
    ['authorization'],
    ['cookie'],
    ['payment-signature'],
    ['x-payment'],
    ['sign-in-with-x'],
    ['signature'],
    ['payment'],
    ['privateKey'],
    ['password'],
    ['secret'],
  ])('never shows the value of %s', (name) => {
    const value = 'hunter2';
    const line = logged((log) => {
      log.info({ [name]: value, headers: { [name]: value }, request: { headers: { [name]: value } } }, 'said');
    });
    expect(JSON.stringify(line)).not.toContain(value);
    expect(line).toMatchObject({ [name]: '[secret]', process: 'test', msg: 'said' });
  });

  it('contains the request id in everything that the request starts', async () => {
    const lines: string[] = [];
    const log = createLogger('test', 'info', { write: (line) => lines.push(line) });
    await workFor({ id: 'r1' }, async () => {
      await Promise.resolve();
      log.info('later');
    });
    log.info('outside');
    expect(lines.map((line) => (JSON.parse(line) as { requestId?: string }).requestId)).toEqual(['r1', undefined]);
  });
});
