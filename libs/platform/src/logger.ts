import { defined } from './defined';
import pino, { type DestinationStream, type Logger } from 'pino';
import { requestId } from './request-id';

export type { Logger } from 'pino';

/** Fields with these names are secrets or signed payments, and are never logged. */
const SECRET = [
  'authorization',
  'cookie',
  'payment-signature',
  'x-payment',
  'sign-in-with-x',
  'signature',
  'payment',
  'privateKey',
  'password',
  'secret',
];

/**
 * Writes one JSON line per event. `process` is the name of the process, and `requestId` is the request it belongs to,
 * from the gateway through the job to the settlement.
 * @param destination standard output by default
 */
export function createLogger(process: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { process },
    mixin: () => defined({ requestId: requestId() }),
    redact: { paths: SECRET.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), censor: '[secret]' },
  };
  return destination ? pino(options, destination) : pino(options);
}
