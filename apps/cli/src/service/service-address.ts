import { given, type Variables } from '@app/config';
import { parseUrl } from '@app/detectors';
import { z } from 'zod';
import { CommandError, EXIT } from '../exit-codes';
import { readRunningFile, runningFile } from '../running-file';
import type { WalletKey } from './paying-fetch';

/** The service a command asks, and the wallet it pays with there. */
export interface ServiceAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: WalletKey;
}

const KEY = /^0x[0-9a-fA-F]{64}$/;

const runningGateway = z.object({
  gateway: z.string(),
  demoWallet: z
    .object({ privateKey: z.custom<`0x${string}`>((key) => typeof key === 'string' && KEY.test(key)) })
    .nullable(),
});

/**
 * `--url`, otherwise HOSTPROBE_URL, otherwise the service that `npm start` runs in DATA_DIR here; the demo wallet pays
 * only for that one, and only when HOSTPROBE_KEY names no other.
 * @throws {CommandError} `usage`
 */
export function serviceAddress(named: string | null, env: Variables): ServiceAddress {
  const key = walletKey(env);
  const url = named ?? given(env, 'HOSTPROBE_URL');
  if (url !== undefined) return { url: readUrl(url), key };
  const written = readRunningFile(env);
  if (written === undefined) {
    throw new CommandError(EXIT.usage, 'name a service with --url or HOSTPROBE_URL; none runs here (npm start)');
  }
  const running = runningGateway.safeParse(written);
  if (!running.success) {
    throw new CommandError(EXIT.usage, `${runningFile(env)} is not of a running service; name one with --url`);
  }
  return { url: readUrl(running.data.gateway), key: key ?? running.data.demoWallet?.privateKey ?? null };
}

function walletKey(env: Variables): WalletKey {
  const key = given(env, 'HOSTPROBE_KEY');
  if (key === undefined) return null;
  if (!KEY.test(key)) throw new CommandError(EXIT.usage, 'HOSTPROBE_KEY must be a private key: 0x and 64 hex digits');
  return key as WalletKey;
}

function readUrl(text: string): string {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
    throw new CommandError(EXIT.usage, 'the service must be an http(s) URL such as https://probe.example.com');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
