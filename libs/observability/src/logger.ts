import pino, { type Logger } from 'pino';

export type { Logger } from 'pino';

/** Anything under these names is a secret or a signed payment, whatever logs it. */
const SECRET = [
  'authorization',
  'cookie',
  'payment-signature',
  'x-payment',
  'sign-in-with-x',
  'privateKey',
  'password',
];

/** One JSON line per event on standard output; `process` names who speaks. */
export function createLogger(process: string, level: string): Logger {
  return pino({
    level,
    base: { process },
    redact: { paths: SECRET.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), censor: '[secret]' },
  });
}
