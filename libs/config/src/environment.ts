import { Transform, plainToInstance } from 'class-transformer';
import {
  IsBoolean,
  IsFQDN,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
  validateSync,
} from 'class-validator';
import { isAddressOrRange, isRange } from './address-range';
import { Each } from './each';
import { paymentFaults } from './payments-config';
import { PRICE } from './price';

const URL_OPTIONS = { require_tld: false, require_protocol: true };
const toInt = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value,
);
const toBoolean = Transform(({ value }: { value: unknown }) =>
  value === 'on' || value === 'true' || value === '1'
    ? true
    : value === 'off' || value === 'false' || value === '0'
      ? false
      : value,
);
const toNames = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter((name) => name !== '')
    : value,
);
const toList = Transform(({ value }: { value: unknown }) =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
    : value,
);
const CONNECT_TO = /^[a-z0-9.-]{1,253}:\d{1,5}=(?:\[[0-9a-f:.]+\]|[0-9.]+):\d{1,5}$/i;
const PRIVATE_KEY = /^0x[0-9a-fA-F]{64}$/;
const port = 'must be a port number, 0 to 65535';

/** The variables of the gateway and the worker, as text from outside; one property each, with the sentence of its rule. */
export class Environment {
  @IsOptional()
  @IsIn(['development', 'production', 'test'], { message: 'must be development, production or test' })
  NODE_ENV: 'development' | 'production' | 'test' = 'development';

  @toInt
  @IsInt({ message: port })
  @Min(0, { message: port })
  @Max(65_535, { message: port })
  PORT = 3000;

  @IsString()
  @MinLength(1, { message: 'must name an address to listen on' })
  HOST = '127.0.0.1';

  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] }, { message: 'must be an http(s) URL' })
  PUBLIC_BASE_URL?: string;

  @IsUrl({ ...URL_OPTIONS, protocols: ['postgres', 'postgresql'] }, { message: 'must be a postgresql:// URL' })
  DATABASE_URL!: string;

  @IsOptional()
  @IsUrl({ ...URL_OPTIONS, protocols: ['redis', 'rediss'] }, { message: 'must be a redis:// URL' })
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
  @IsUrl({ ...URL_OPTIONS, protocols: ['http', 'https'] }, { message: 'must be an http(s) URL' })
  X402_FACILITATOR_URL?: string;

  @IsOptional()
  @Matches(PRIVATE_KEY, { message: 'must be a private key: 0x and 64 hex digits' })
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
  @Matches(PRIVATE_KEY, { message: 'must be a private key: 0x and 64 hex digits' })
  OFFER_SIGNING_KEY?: string;

  @toList
  @IsUrl(
    { ...URL_OPTIONS, protocols: ['http', 'https'] },
    { each: true, message: 'must be http(s) URLs, comma-separated, best first' },
  )
  RPC_URL_8453: readonly string[] = [];

  @toList
  @IsUrl(
    { ...URL_OPTIONS, protocols: ['http', 'https'] },
    { each: true, message: 'must be http(s) URLs, comma-separated, best first' },
  )
  RPC_URL_84532: readonly string[] = [];

  @toList
  @Matches(CONNECT_TO, { each: true, message: 'must be host:port=address:port, comma-separated' })
  PROBE_CONNECT_TO: readonly string[] = [];

  @IsOptional()
  @IsString()
  PROBE_CA_FILE?: string;

  @toInt
  @IsInt({ message: 'must be a whole number, 1 to 200' })
  @Min(1, { message: 'must be a whole number, 1 to 200' })
  @Max(200, { message: 'must be a whole number, 1 to 200' })
  WORKER_CONCURRENCY = 20;

  @toInt
  @IsInt({ message: 'must be a whole number of seconds, 5 to 40' })
  @Min(5, { message: 'must be a whole number of seconds, 5 to 40' })
  @Max(40, { message: 'must be a whole number of seconds, 5 to 40' })
  REFRESH_DEADLINE_SEC = 25;

  @toInt
  @IsInt({ message: 'must be a whole number, 1 to 10000' })
  @Min(1, { message: 'must be a whole number, 1 to 10000' })
  @Max(10_000, { message: 'must be a whole number, 1 to 10000' })
  TARGET_PROBES_PER_15_MIN = 6;

  @toInt
  @IsInt({ message: 'must be a whole number, 1 to 1000000' })
  @Min(1, { message: 'must be a whole number, 1 to 1000000' })
  @Max(1_000_000, { message: 'must be a whole number, 1 to 1000000' })
  TARGET_REQUESTS_PER_MIN = 240;

  @toInt
  @IsInt({ message: 'must be a whole number, 1 to 100' })
  @Min(1, { message: 'must be a whole number, 1 to 100' })
  @Max(100, { message: 'must be a whole number, 1 to 100' })
  TARGET_CONCURRENCY = 4;

  @toList
  @Each(isAddressOrRange, 'must be addresses or ranges such as 192.0.2.0/24, comma-separated')
  TRUSTED_PROXIES: readonly string[] = [];

  @toInt
  @IsInt({ message: 'must be a whole number, 1 to 1000000' })
  @Min(1, { message: 'must be a whole number, 1 to 1000000' })
  @Max(1_000_000, { message: 'must be a whole number, 1 to 1000000' })
  RATE_LIMIT_CHECKS_PER_MIN = 300;

  @toInt
  @IsInt({ message: 'must be a whole number, 1 to 1000000' })
  @Min(1, { message: 'must be a whole number, 1 to 1000000' })
  @Max(1_000_000, { message: 'must be a whole number, 1 to 1000000' })
  RATE_LIMIT_REQUESTS_PER_MIN = 6000;

  @IsOptional()
  @Matches(PRICE, {
    message: 'must be an amount of USDC such as 5 or 4.50, or "7 formerly 5 until 2026-12-01T12:00:00Z"',
  })
  SUBSCRIPTION_PRICE_USD?: string;

  @IsOptional()
  @toInt
  @IsInt({ message: 'must be a whole number of days, 1 to 3660' })
  @Min(1, { message: 'must be a whole number of days, 1 to 3660' })
  @Max(3_660, { message: 'must be a whole number of days, 1 to 3660' })
  SUBSCRIPTION_DAYS?: number;

  @toInt
  @IsInt({ message: 'must be a whole number, 1 to 1000000' })
  @Min(1, { message: 'must be a whole number, 1 to 1000000' })
  @Max(1_000_000, { message: 'must be a whole number, 1 to 1000000' })
  SUBSCRIPTION_REFRESHES_PER_DAY = 100;

  @IsOptional()
  @MinLength(32, { message: 'must be at least 32 characters nobody can guess' })
  SUBSCRIPTION_KEY_SECRET?: string;

  @toNames
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

  @toInt
  @IsInt({ message: 'must be a whole number, 0 to 1000' })
  @Min(0, { message: 'must be a whole number, 0 to 1000' })
  @Max(1_000, { message: 'must be a whole number, 0 to 1000' })
  SCHEDULED_LOOKS_PER_MIN = 10;

  @toInt
  @IsInt({ message: 'must be a whole number of days, 1 to 3660' })
  @Min(1, { message: 'must be a whole number of days, 1 to 3660' })
  @Max(3_660, { message: 'must be a whole number of days, 1 to 3660' })
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
  @toInt
  @IsInt({ message: port })
  @Min(0, { message: port })
  @Max(65_535, { message: port })
  METRICS_PORT?: number;

  @IsString()
  @MinLength(1, { message: 'must name an address to listen on' })
  METRICS_HOST = '127.0.0.1';

  @toInt
  @IsInt({ message: 'must be a whole number of seconds, 0 to 60' })
  @Min(0, { message: 'must be a whole number of seconds, 0 to 60' })
  @Max(60, { message: 'must be a whole number of seconds, 0 to 60' })
  SHUTDOWN_DRAIN_SEC = 2;

  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { message: 'must be a pino level' })
  LOG_LEVEL = 'info';
}

/** @throws {ConfigError} that lists every fault, by name and rule, never by value. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const environment = plainToInstance(Environment, pick(given), { exposeDefaultValues: true });
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

function pick(given: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    VARIABLES.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const])),
  );
}

export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is wrong: ${faults.join('; ')}.`);
    this.name = 'ConfigError';
  }
}
