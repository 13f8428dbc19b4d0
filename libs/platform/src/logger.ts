import { defined } from './defined';
import pino, { type DestinationStream, type Logger } from 'pino';
import { requestId } from './request-id';

export type { Logger } from 'pino';

/** Members with these names are secrets or signed payments and are never logged. */
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
 * One JSON line per event; `process` names who speaks, `requestId` the request it is about, from the gateway through the
 * job to the settlement.
 * @param destination standard output unless given
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
