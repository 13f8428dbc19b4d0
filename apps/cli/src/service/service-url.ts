import { given, type Variables } from '@app/config';
import { parseUrl } from '@app/detectors';
import { withoutTrailing } from '@app/platform';
import { z } from 'zod';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { readRunningFile, runningFile } from '../terminal/running-service';

const runningGateway = z.object({ gateway: z.string() });

/**
 * The service that the user named by an option or a variable; undefined means the service that runs on this machine.
 */
export function namedService(option: string | null, env: Variables): string | undefined {
  return option ?? given(env, 'HOSTPROBE_URL');
}

/**
 * The URL of the service, without a trailing slash: `--url`, else HOSTPROBE_URL, else the service that `npm start`
 * runs in DATA_DIR here; undefined if there is none.
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
