import { given, type Variables } from '@app/config';
import { parseUrl } from '@app/detectors';
import { withoutTrailing } from '@app/platform';
import { z } from 'zod';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { readRunningFile, runningFile } from '../terminal/running-service';

const runningGateway = z.object({ gateway: z.string() });

/** What the caller names as the service, on the command line or by a variable; undefined leaves it to what runs here. */
export function namedService(option: string | null, env: Variables): string | undefined {
  return option ?? given(env, 'HOSTPROBE_URL');
}

/**
 * The service that a command asks, without a slash at the end: `--url`, otherwise HOSTPROBE_URL, otherwise the one that `npm
 * start` runs in DATA_DIR here; undefined when there is none.
 * @throws {CommandError} `usage`
 */
export function serviceUrl(option: string | null, env: Variables): string | undefined {
  const named = namedService(option, env);
  if (named !== undefined) return readUrl(named);
  const written = readRunningFile(env);
  if (written === undefined) return undefined;
  const running = runningGateway.safeParse(written);
  if (!running.success) {
    throw new CommandError(EXIT.usage, `${runningFile(env)} does not describe a running service; name one with --url`);
  }
  return readUrl(running.data.gateway);
}

function readUrl(text: string): string {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
    throw new CommandError(EXIT.usage, 'the service must be an http(s) URL such as https://probe.example.com');
  }
  return withoutTrailing(`${url.origin}${url.pathname}`, '/');
}
