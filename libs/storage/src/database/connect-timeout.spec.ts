import { connectTimeoutMs } from './connect-timeout';

describe('connectTimeoutMs', () => {
  it.each([
    ['postgresql://u@h/d', 5_000],
    ['postgresql://u@h/d?connect_timeout=30', 30_000],
    ['postgresql://u@h/d?sslmode=require&connect_timeout=2', 2_000],
    ['postgresql://u@h/d?connect_timeout=0', 5_000],
    ['postgresql://u@h/d?connect_timeout=-1', 5_000],
    ['postgresql://u@h/d?connect_timeout=soon', 5_000],
    ['postgresql://u@h/d?connect_timeout=Infinity', 5_000],
  ])('of %s is %d ms', (url, expected) => {
    expect(connectTimeoutMs(url)).toBe(expected);
  });
});
