import { given, loadConfig, type Config, type Variables } from '@app/config';
import { sellingChain, type Chain } from '@app/networks';
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import type { Address } from 'viem';

/**
 * What settles payments: an external facilitator, the gateway with its own account, or a facilitator on a local
 * chain.
 */
type FacilitatorChoice =
  { readonly kind: 'remote'; readonly url: string } | { readonly kind: 'in_gateway' } | { readonly kind: 'embedded' };

/** The settings of `npm start`; a part that is null is embedded. */
export interface Settings {
  /** The caller's variables, passed on to the services. */
  readonly env: Variables;
  readonly dataDir: string;
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  readonly network: Chain;
  /** The account that receives the money; null makes one for the demo. */
  readonly payTo: Address | null;
  readonly facilitator: FacilitatorChoice;
  readonly demo: boolean;
}

/** A placeholder that lets loadConfig validate the caller's variables before there is a database. */
const DATABASE_TO_COME = 'postgresql://embedded@127.0.0.1/embedded';

/** The same for the encryption key, which is stored next to the database. */
const KEY_TO_COME = 'made at the first start, and kept in DATA_DIR';

/** @throws Error with a sentence that names the wrong variable, never its value. */
export function readSettings(env: Variables): Settings {
  const config = loadConfig({
    ...env,
    DATABASE_URL: given(env, 'DATABASE_URL') ?? DATABASE_TO_COME,
    SECRETS_KEY: given(env, 'SECRETS_KEY') ?? KEY_TO_COME,
  });
  const network = sellingChain(given(env, 'X402_NETWORK'));
  const facilitator = facilitatorOf(env);
  refuseHalfAChain(env, network, facilitator);
  refuseUnreadable('PROBE_CA_FILE', config.probing.caFile);
  return {
    env,
    dataDir: resolve(given(env, 'DATA_DIR') ?? '.data'),
    host: config.http.host,
    port: config.http.port,
    databaseUrl: given(env, 'DATABASE_URL') ?? null,
    redisUrl: given(env, 'REDIS_URL') ?? null,
    network,
    payTo: (given(env, 'X402_PAY_TO') as Address | undefined) ?? null,
    facilitator,
    demo: wantsDemo(env, config),
  };
}

function facilitatorOf(env: Variables): FacilitatorChoice {
  const url = given(env, 'X402_FACILITATOR_URL');
  if (url !== undefined) return { kind: 'remote', url };
  return { kind: given(env, 'X402_FACILITATOR_KEY') === undefined ? 'embedded' : 'in_gateway' };
}

/** Rejects settings that would sell on one chain and read receipts on another: every payment would seem lost. */
function refuseHalfAChain(env: Variables, { rpcVariable: rpc }: Chain, { kind }: FacilitatorChoice): void {
  if (kind === 'embedded' && given(env, rpc) !== undefined) {
    throw new Error(
      `${rpc} names a real chain, but without X402_FACILITATOR_URL or X402_FACILITATOR_KEY payments would settle on a local one; set one of these two as well, or unset ${rpc}`,
    );
  }
  if (kind !== 'embedded' && given(env, 'X402_PAY_TO') === undefined) {
    throw new Error('X402_PAY_TO is required with a facilitator: it is the account that receives the money');
  }
}

function refuseUnreadable(name: string, file: string | null): void {
  if (file === null) return;
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    throw new Error(`${name} must be a readable file`, { cause });
  }
}

/** Probes reach the demo hosts through PROBE_CONNECT_TO, which production rejects. */
function wantsDemo(env: Variables, config: Config): boolean {
  const demo = given(env, 'DEMO') ?? 'on';
  if (!['on', 'off'].includes(demo)) throw new Error('DEMO must be on or off');
  return demo === 'on' && !config.production;
}
