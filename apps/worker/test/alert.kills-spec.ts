import { backends } from '../../../test/support/stack';
import { killAround } from '../../../test/support/alerts/kills';

/** Every test run makes a tenth of the kills; `npm run prove:alerts` sets the number. */
const KILLS = Number(process.env['ALERT_KILLS'] ?? '20');

describe('workers and a gateway killed while they write and send alerts', () => {
  it(
    'lose no alert, and send none to a receiver that expects none',
    async () => {
      const say = (line: string): void => void process.stdout.write(`alerts  ${line}\n`);
      const { kills, ...found } = await killAround({ kills: KILLS, backend: backends()[0]!, say });
      say(JSON.stringify({ kills, ...found }));
      expect(found).toMatchObject({ lost: [], strays: [], untold: [] });
      expect(Object.values(kills).reduce((sum, times) => sum + times, 0)).toBe(KILLS);
      expect(Object.values(kills)).not.toContain(0);
      // Every message whose worker was killed while sending was sent again.
      expect(found.repeated).toBeGreaterThan(0);
      expect(found.alerts).toBeGreaterThan(KILLS / 2);
    },
    KILLS * 30_000,
  );
});
