import { given, type Variables } from '@app/config';
import { z } from 'zod';
import { readRunningFile } from './running-file';

const runningStorage = z.object({
  database: z.string(),
  rpc: z.string().nullable(),
  payTo: z.string().nullable(),
});

/**
 * The variables a command needs to look at a service: those that are set, and where they are not those of the service
 * that `npm start` runs in DATA_DIR on this machine.
 */
export function withRunningService(env: Variables): Variables {
  const written = given(env, 'DATABASE_URL') === undefined ? readRunningFile(env) : undefined;
  if (written === undefined) return env;
  const { database, rpc, payTo } = runningStorage.parse(written);
  const chainId = given(env, 'X402_NETWORK') === 'eip155:84532' ? 84_532 : 8_453;
  return {
    ...env,
    DATABASE_URL: database,
    [`RPC_URL_${chainId}`]: given(env, `RPC_URL_${chainId}`) ?? rpc ?? undefined,
    X402_PAY_TO: given(env, 'X402_PAY_TO') ?? payTo ?? undefined,
  };
}

/**
 * The database of that service.
 * @throws {Error} with a sentence when neither a variable nor a running service names one
 */
export function databaseUrl(env: Variables): string {
  const url = given(withRunningService(env), 'DATABASE_URL');
  if (url === undefined) throw new Error('set DATABASE_URL, or DATA_DIR to where npm start keeps its data');
  return url;
}
