import { patiently } from './patient-close';

describe('patiently', () => {
  it('ends with what it waits for', async () => {
    let closed = false;
    const closing = Promise.resolve().then(() => {
      closed = true;
    });
    await patiently(closing, 60_000);
    expect(closed).toBe(true);
  });

  it('does not wait for what never ends', async () => {
    await expect(patiently(new Promise(() => undefined), 1)).resolves.toBeUndefined();
  });

  it('tells what went wrong in time', async () => {
    await expect(patiently(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no');
  });
});
