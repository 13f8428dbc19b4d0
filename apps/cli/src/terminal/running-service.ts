import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUCKET_VARIABLES, given, loadConfig, type Config, type Variables } from '@app/config';
import type { HostName } from '@app/hosts';
import { sellingChain } from '@app/networks';
import { z } from 'zod';
import { CommandError, EXIT } from './exit-codes';

/** The file in which `npm start` describes the running service (behaviour 13.3). */
export function runningFile(env: Variables): string {
  return join(given(env, 'DATA_DIR') ?? '.data', 'running.json');
}

/** The content of the file; undefined if no service runs in DATA_DIR. */
export function readRunningFile(env: Variables): unknown {
  const file = runningFile(env);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
}

const runningStorage = z.object({
  database: z.string(),
  rpc: z.string().nullable(),
  payTo: z.string().nullable(),
});

/**
 * The variables for an operator's command. Variables that are not set come from the service that `npm start` runs in
 * DATA_DIR on this machine.
 */
export function withRunningService(env: Variables): Variables {
  const written = given(env, 'DATABASE_URL') === undefined ? readRunningFile(env) : undefined;
  if (written === undefined) return env;
  const { database, rpc, payTo } = runningStorage.parse(written);
  const { rpcVariable } = sellingChain(given(env, 'X402_NETWORK'));
  return {
    ...env,
    DATABASE_URL: database,
    [rpcVariable]: given(env, rpcVariable) ?? rpc ?? undefined,
    X402_PAY_TO: given(env, 'X402_PAY_TO') ?? payTo ?? undefined,
  };
}

const runningDemo = z.object({ demoHosts: z.object({ connectTo: z.string(), caFile: z.string() }) });

/**
 * The variables for a probe. If the host is a demo host of the service that `npm start` runs here, they include the
 * variables that connect to it.
 */
export function withDemoHosts(host: HostName, env: Variables): Variables {
  if (given(env, 'PROBE_CONNECT_TO') !== undefined) return env;
  const { connectTo = '', caFile } = runningDemo.safeParse(readRunningFile(env)).data?.demoHosts ?? {};
  if (!connectTo.split(',').some((entry) => entry.startsWith(`${host.ascii}:`))) return env;
  return { ...env, PROBE_CONNECT_TO: connectTo, PROBE_CA_FILE: caFile };
}

/**
 * The database of that service and its encryption keys. The keys come from the variables; otherwise `npm start`
 * keeps them in DATA_DIR (behaviour 13.3).
 * @throws {CommandError} `usage` if neither a variable nor a running service names a database
 */
export function databaseOf(env: Variables): Config['database'] {
  const url = given(withRunningService(env), 'DATABASE_URL');
  if (url === undefined) {
    throw new CommandError(EXIT.usage, 'set DATABASE_URL, or DATA_DIR to where npm start keeps its data');
  }
  const kept = join(given(env, 'DATA_DIR') ?? '.data', 'keys', 'secrets.key');
  const SECRETS_KEY = given(env, 'SECRETS_KEY') ?? (existsSync(kept) ? readFileSync(kept, 'utf8').trim() : undefined);
  const { SECRETS_KEY_FORMER } = env;
  const bucket = Object.fromEntries(BUCKET_VARIABLES.map((name) => [name, env[name]]));
  return loadConfig({ DATABASE_URL: url, SECRETS_KEY, SECRETS_KEY_FORMER, ...bucket }).database;
}
