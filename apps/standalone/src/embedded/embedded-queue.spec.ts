import { silenceOf } from './embedded-queue';
import { freePort } from './free-port';

describe('silenceOf', () => {
  it('says why a Redis cannot be reached', async () => {
    const port = await freePort();
    expect(await silenceOf(`redis://127.0.0.1:${port}`)).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
  });
});
