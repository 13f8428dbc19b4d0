import { given, type Variables } from '@app/config';
import { z } from 'zod';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { readRunningFile } from '../terminal/running-service';
import type { WalletKey } from './paying-fetch';
import { namedService, serviceUrl } from './service-url';

/** The service a command asks, and the wallet it pays with there. */
export interface ServiceAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: WalletKey;
}

const KEY = /^0x[0-9a-fA-F]{64}$/;

const runningWallet = z.object({
  demoWallet: z
    .object({ privateKey: z.custom<`0x${string}`>((key) => typeof key === 'string' && KEY.test(key)) })
    .nullable(),
});

/**
 * Where a command asks and what pays: HOSTPROBE_KEY, otherwise the demo wallet, only for the service that `npm start` runs here.
 * @throws {CommandError} `usage`
 */
export function serviceAddress(option: string | null, env: Variables): ServiceAddress {
  const key = walletKey(env);
  const url = serviceUrl(option, env);
  if (url === undefined) {
    throw new CommandError(EXIT.usage, 'name a service with --url or HOSTPROBE_URL; none runs here (npm start)');
  }
  return { url, key: key ?? (namedService(option, env) === undefined ? demoKey(env) : null) };
}

function demoKey(env: Variables): WalletKey {
  const running = runningWallet.safeParse(readRunningFile(env));
  return running.data?.demoWallet?.privateKey ?? null;
}

function walletKey(env: Variables): WalletKey {
  const key = given(env, 'HOSTPROBE_KEY');
  if (key === undefined) return null;
  if (!KEY.test(key)) throw new CommandError(EXIT.usage, 'HOSTPROBE_KEY must be a private key: 0x and 64 hex digits');
  return key as WalletKey;
}
