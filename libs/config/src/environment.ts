import { plainToInstance } from 'class-transformer';
import {
  IsBoolean,
  IsFQDN,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  MinLength,
  ValidateIf,
  validateSync,
} from 'class-validator';
import { isAddressOrRange, isRange } from './address-range';
import { Each } from './each';
import { paymentFaults } from './payments-config';
import { PRICE } from './price';
import {
  AreHttpUrls,
  IsNumberWithin,
  IsPort,
  IsPrivateKey,
  IsUrlOf,
  toBoolean,
  toHostNames,
  toList,
  toNames,
} from './variable-rules';
import { given, type Variables } from './variables';

const CONNECT_TO = /^[a-z0-9.-]{1,253}:\d{1,5}=(?:\[[0-9a-f:.]+\]|[0-9.]+):\d{1,5}$/i;

/** The variables of the gateway and the worker, as text from outside; one property each, with the sentence of its rule. */
export class Environment {
  @IsOptional()
  @IsIn(['development', 'production', 'test'], { message: 'must be development, production or test' })
  NODE_ENV: 'development' | 'production' | 'test' = 'development';

  @IsPort()
  PORT = 3000;

  @IsString()
  @MinLength(1, { message: 'must name an address to listen on' })
  HOST = '127.0.0.1';

  @IsOptional()
  @IsUrlOf(['http', 'https'], 'must be an http(s) URL')
  PUBLIC_BASE_URL?: string;

  @IsUrlOf(['postgres', 'postgresql'], 'must be a postgresql:// URL')
  DATABASE_URL!: string;

  @IsOptional()
  @IsUrlOf(['redis', 'rediss'], 'must be a redis:// URL')
  REDIS_URL?: string;

  @IsIn(['eip155:8453', 'eip155:84532'], { message: 'must be eip155:8453 or eip155:84532' })
  X402_NETWORK: 'eip155:8453' | 'eip155:84532' = 'eip155:8453';

  @ValidateIf(
    (env: Environment) =>
      env.X402_PAY_TO !== undefined || env.X402_FACILITATOR_URL !== undefined || env.X402_FACILITATOR_KEY !== undefined,
  )
  @Matches(/^0x[0-9a-fA-F]{40}$/, { message: 'must be a 0x address of 40 hex digits' })
  X402_PAY_TO?: string;

  @IsOptional()
  @IsUrlOf(['http', 'https'], 'must be an http(s) URL')
  X402_FACILITATOR_URL?: string;

  @IsOptional()
  @IsPrivateKey()
  X402_FACILITATOR_KEY?: string;

  @IsOptional()
  @Matches(/^[\x21-\x7e][\x20-\x7e]*$/, { message: 'must be the value of an Authorization header' })
  X402_FACILITATOR_AUTH?: string;

  @IsOptional()
  @IsString()
  CDP_API_KEY_ID?: string;

  @IsOptional()
  @IsString()
  CDP_API_KEY_SECRET?: string;

  @IsOptional()
  @IsPrivateKey()
  OFFER_SIGNING_KEY?: string;

  @AreHttpUrls('must be http(s) URLs, comma-separated, best first')
  RPC_URL_8453: readonly string[] = [];

  @AreHttpUrls('must be http(s) URLs, comma-separated, best first')
  RPC_URL_84532: readonly string[] = [];

  @toList
  @Matches(CONNECT_TO, { each: true, message: 'must be host:port=address:port, comma-separated' })
  PROBE_CONNECT_TO: readonly string[] = [];

  @IsOptional()
  @IsString()
  PROBE_CA_FILE?: string;

  @IsNumberWithin(1, 200)
  WORKER_CONCURRENCY = 20;

  @IsNumberWithin(5, 40, 'whole number of seconds')
  REFRESH_DEADLINE_SEC = 25;

  @IsNumberWithin(1, 10_000)
  TARGET_PROBES_PER_15_MIN = 6;

  @IsNumberWithin(1, 1_000_000)
  TARGET_REQUESTS_PER_MIN = 240;

  @IsNumberWithin(1, 100)
  TARGET_CONCURRENCY = 4;

  @toList
  @Each(isAddressOrRange, 'must be addresses or ranges such as 192.0.2.0/24, comma-separated')
  TRUSTED_PROXIES: readonly string[] = [];

  @IsNumberWithin(1, 1_000_000)
  RATE_LIMIT_CHECKS_PER_MIN = 300;

  @IsNumberWithin(1, 1_000_000)
  RATE_LIMIT_REQUESTS_PER_MIN = 6000;

  @IsOptional()
  @Matches(PRICE, {
    message: 'must be an amount of USDC such as 5 or 4.50, or "7 formerly 5 until 2026-12-01T12:00:00Z"',
  })
  SUBSCRIPTION_PRICE_USD?: string;

  @IsOptional()
  @IsNumberWithin(1, 3_660, 'whole number of days')
  SUBSCRIPTION_DAYS?: number;

  @IsNumberWithin(1, 1_000_000)
  SUBSCRIPTION_REFRESHES_PER_DAY = 100;

  @IsOptional()
  @MinLength(32, { message: 'must be at least 32 characters nobody can guess' })
  SUBSCRIPTION_KEY_SECRET?: string;

  @toHostNames
  @IsFQDN({}, { each: true, message: 'must be host names, comma-separated' })
  OPT_OUT: readonly string[] = [];

  @IsOptional()
  @IsString()
  PROBE_SIGNING_KEY?: string;

  @toNames
  @Each(isRange, 'must be address ranges such as 192.0.2.0/24, comma-separated')
  PROBER_EGRESS: readonly string[] = [];

  @IsOptional()
  @Matches(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, { message: 'must be a mailto: or https:// URL' })
  PROBER_CONTACT?: string;

  @toBoolean
  @IsBoolean({ message: 'must be on or off' })
  FREE_PRESENCE_PROBE = true;

  @IsNumberWithin(0, 1_000)
  SCHEDULED_LOOKS_PER_MIN = 10;

  @IsNumberWithin(1, 3_660, 'whole number of days')
  RETENTION_DAYS = 30;

  @IsString()
  @Matches(/^[^:\s]{1,64}$/, { message: 'must be a name without a colon' })
  OPERATOR_USER = 'operator';

  @IsOptional()
  @MinLength(12, { message: 'must be at least 12 characters nobody can guess' })
  OPERATOR_PASSWORD?: string;

  @toBoolean
  @IsBoolean({ message: 'must be on or off' })
  OPERATOR_ACTIONS = false;

  @IsOptional()
  @IsPort()
  METRICS_PORT?: number;

  @IsString()
  @MinLength(1, { message: 'must name an address to listen on' })
  METRICS_HOST = '127.0.0.1';

  @IsNumberWithin(0, 60, 'whole number of seconds')
  SHUTDOWN_DRAIN_SEC = 2;

  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { message: 'must be a pino level' })
  LOG_LEVEL = 'info';
}

/** @throws {ConfigError} that lists every fault, by name and rule, never by value. */
export function readEnvironment(env: Variables): Environment {
  const environment = plainToInstance(Environment, ours(env), { exposeDefaultValues: true });
  const faults = validateSync(environment, { stopAtFirstError: true }).map(
    ({ property, constraints }) => `${property} ${Object.values(constraints ?? {})[0] ?? 'is wrong'}`,
  );
  if (environment.NODE_ENV === 'production' && environment.PROBE_CONNECT_TO.length > 0) {
    faults.push('PROBE_CONNECT_TO is for test hosts and is refused when NODE_ENV is production');
  }
  faults.push(...paymentFaults(environment));
  if (faults.length > 0) throw new ConfigError(faults);
  return environment;
}

/** Names of all variables, for the README table and `.env.example`. */
export const VARIABLES = [
  'NODE_ENV',
  'PORT',
  'HOST',
  'PUBLIC_BASE_URL',
  'DATABASE_URL',
  'REDIS_URL',
  'X402_NETWORK',
  'X402_PAY_TO',
  'X402_FACILITATOR_URL',
  'X402_FACILITATOR_KEY',
  'X402_FACILITATOR_AUTH',
  'CDP_API_KEY_ID',
  'CDP_API_KEY_SECRET',
  'OFFER_SIGNING_KEY',
  'RPC_URL_8453',
  'RPC_URL_84532',
  'PROBE_CONNECT_TO',
  'PROBE_CA_FILE',
  'WORKER_CONCURRENCY',
  'REFRESH_DEADLINE_SEC',
  'TARGET_PROBES_PER_15_MIN',
  'TARGET_REQUESTS_PER_MIN',
  'TARGET_CONCURRENCY',
  'TRUSTED_PROXIES',
  'RATE_LIMIT_CHECKS_PER_MIN',
  'RATE_LIMIT_REQUESTS_PER_MIN',
  'SUBSCRIPTION_PRICE_USD',
  'SUBSCRIPTION_DAYS',
  'SUBSCRIPTION_REFRESHES_PER_DAY',
  'SUBSCRIPTION_KEY_SECRET',
  'OPT_OUT',
  'PROBE_SIGNING_KEY',
  'PROBER_EGRESS',
  'PROBER_CONTACT',
  'FREE_PRESENCE_PROBE',
  'SCHEDULED_LOOKS_PER_MIN',
  'RETENTION_DAYS',
  'OPERATOR_USER',
  'OPERATOR_PASSWORD',
  'OPERATOR_ACTIONS',
  'METRICS_PORT',
  'METRICS_HOST',
  'SHUTDOWN_DRAIN_SEC',
  'LOG_LEVEL',
] as const satisfies readonly (keyof Environment)[];

function ours(env: Variables): Variables {
  return Object.fromEntries(
    VARIABLES.map((name) => [name, given(env, name)] as const).filter(([, value]) => value !== undefined),
  );
}

export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is wrong: ${faults.join('; ')}.`);
    this.name = 'ConfigError';
  }
}
