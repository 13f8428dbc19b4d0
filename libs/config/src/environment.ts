import { CHAINS, DEFAULT_NETWORK, SELLABLE, type RpcVariable, type SellableId } from '@app/networks';
import { IsBoolean, IsFQDN, IsIn, IsOptional, IsString, Matches, MinLength, ValidateIf } from 'class-validator';
import { PRICE } from './price';
import {
  AreHttpUrls,
  Each,
  isAddressOrRange,
  IsNumberWithin,
  IsPort,
  IsPrivateKey,
  IsSecret,
  isRange,
  IsUrlOf,
  toBoolean,
  toHostNames,
  toList,
  toNames,
} from './variable-rules';

const NAME_SERVER = /^(?:[0-9.]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const CONNECT_TO = /^[a-z0-9.-]{1,253}:\d{1,5}=(?:\[[0-9a-f:.]+\]|[0-9.]+):\d{1,5}$/i;

/**
 * The variables of the gateway and the worker, as text from outside; one property each, with the sentence of its rule.
 * Those with RPC endpoints come from the table of networks.
 */
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

  @IsIn(SELLABLE, { message: `must be ${SELLABLE.join(' or ')}` })
  X402_NETWORK: SellableId = DEFAULT_NETWORK;

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

  @toBoolean
  @IsBoolean({ message: 'must be on or off' })
  FACILITATOR_TRUST = false;

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

  /** With less, half of it would be no free probe and no paid one (behaviour 12.10). */
  @IsNumberWithin(2, 10_000)
  TARGET_PROBES_PER_15_MIN = 6;

  /** Twice the most that a probe may send, for the same reason. */
  @IsNumberWithin(80, 1_000_000)
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

  @IsNumberWithin(1, 100_000)
  MAX_CONNECTIONS = 2000;

  @IsNumberWithin(1, 100_000)
  MAX_CONNECTIONS_PER_ADDRESS = 250;

  @IsNumberWithin(1, 1_000_000)
  RATE_LIMIT_REFUSED_PAYMENTS_PER_MIN = 60;

  @IsNumberWithin(1, 1_000_000)
  RATE_LIMIT_EVIDENCE_PER_MIN = 60;

  @IsNumberWithin(1, 1_000_000)
  RATE_LIMIT_CLAIMS_PER_HOUR = 5;

  @IsNumberWithin(1, 1_000_000)
  RATE_LIMIT_OWNER_PROBES_PER_DAY = 20;

  @toList
  @Matches(NAME_SERVER, {
    each: true,
    message: 'must be addresses of name servers, with or without a port, comma-separated',
  })
  CLAIM_RESOLVERS: readonly string[] = ['1.1.1.1', '8.8.8.8', '9.9.9.9'];

  @IsNumberWithin(1, 86_400, 'whole number of seconds')
  CLAIM_CONFIRM_SEC = 600;

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
  @MinLength(32, { message: 'must be at least 32 random characters' })
  SUBSCRIPTION_KEY_SECRET?: string;

  @ValidateIf((env: Environment) => env.NODE_ENV === 'production' || env.SECRETS_KEY !== undefined)
  @IsSecret()
  SECRETS_KEY?: string;

  @toList
  @IsSecret({ each: true })
  SECRETS_KEY_FORMER: readonly string[] = [];

  @IsOptional()
  @IsSecret()
  WEBHOOK_KEY?: string;

  @toList
  @IsSecret({ each: true })
  WEBHOOK_KEY_FORMER: readonly string[] = [];

  @IsOptional()
  @IsUrlOf(['http', 'https'], 'must be an http(s) URL')
  EVIDENCE_S3_ENDPOINT?: string;

  @IsOptional()
  @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { message: 'must be the name of a bucket' })
  EVIDENCE_S3_BUCKET?: string;

  @Matches(/^[a-z0-9-]{1,64}$/, { message: 'must be the name of a region' })
  EVIDENCE_S3_REGION = 'us-east-1';

  @IsOptional()
  @IsString()
  EVIDENCE_S3_KEY_ID?: string;

  @IsOptional()
  @IsString()
  EVIDENCE_S3_SECRET?: string;

  @toHostNames
  @IsFQDN({}, { each: true, message: 'must be host names, comma-separated' })
  OPT_OUT: readonly string[] = [];

  @IsOptional()
  @IsString()
  PROBE_SIGNING_KEY?: string;

  @IsOptional()
  @IsString()
  REPORT_SIGNING_KEY?: string;

  @toNames
  @Each(isRange, 'must be address ranges such as 192.0.2.0/24, comma-separated')
  PROBER_EGRESS: readonly string[] = [];

  @IsOptional()
  @Matches(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, { message: 'must be a mailto: or https:// URL' })
  PROBER_CONTACT?: string;

  @toBoolean
  @IsBoolean({ message: 'must be on or off' })
  FREE_PRESENCE_PROBE = true;

  @IsNumberWithin(1, 1_000_000)
  FREE_PROBES_PER_SITE_DAY = 8;

  @IsNumberWithin(0, 1_000)
  SCHEDULED_PROBES_PER_MIN = 10;

  @IsNumberWithin(0, 1_000)
  CENSUS_SLOTS = 0;

  @IsNumberWithin(1, 3_660, 'whole number of days')
  RETENTION_DAYS = 30;

  @IsString()
  @Matches(/^[^:\s]{1,64}$/, { message: 'must be a name without a colon' })
  OPERATOR_USER = 'operator';

  @IsOptional()
  @MinLength(12, { message: 'must be at least 12 characters that cannot be guessed' })
  OPERATOR_PASSWORD?: string;

  @toBoolean
  @IsBoolean({ message: 'must be on or off' })
  OPERATOR_ACTIONS = false;

  @IsOptional()
  @IsPort()
  METRICS_PORT?: number;

  @IsString()
  @MinLength(1, { message: 'must name an address to listen on, or a range whose callers are answered' })
  METRICS_HOST = '127.0.0.1';

  @IsNumberWithin(0, 60, 'whole number of seconds')
  SHUTDOWN_DRAIN_SEC = 2;

  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { message: 'must be a pino level' })
  LOG_LEVEL = 'info';
}

/** RPC endpoints of each network whose chain is read, best first. */
type RpcEndpoints = Readonly<Record<RpcVariable, readonly string[]>>;

/** The variables, each checked by itself. */
export type CheckedVariables = Environment & RpcEndpoints;

export const RPC_VARIABLES = Object.values(CHAINS).map(({ rpcVariable }) => rpcVariable);
for (const name of RPC_VARIABLES) {
  AreHttpUrls('must be http(s) URLs, comma-separated, best first')(Environment.prototype, name);
}
