import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { CHAINS, DEFAULT_NETWORK, SELLABLE, type RpcVariable } from '@app/networks';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { PRICE } from './price';

type Form = RegExp | ((given: string) => boolean);

/** A text with a given format. The error sentence follows the name of the variable. */
const text = (form: Form, sentence: string) =>
  z.string({ error: sentence }).refine((given) => fits(form, given), { error: sentence });

/** A whole number in an inclusive range; `what` names the quantity, such as `whole number of days`. */
const whole = (min: number, max: number, what = 'whole number') => {
  const isWithin = (given: string): boolean => /^\d{1,9}$/.test(given) && Number(given) >= min && Number(given) <= max;
  return text(isWithin, `must be a ${what} from ${min} to ${max}`).transform(Number);
};

/** A TCP port; 0 for any free one. */
const port = whole(0, 65_535, 'port number');

/** `on`, `true` and `1`, or `off`, `false` and `0`. */
const flag = text(/^(?:on|true|1|off|false|0)$/, 'must be on or off').transform((given) =>
  /^(?:on|true|1)$/.test(given),
);

/** Comma-separated items, trimmed, without empty ones; empty by default. */
const list = (form: Form, sentence: string, read = (item: string) => item) => {
  const itemsOf = (given: string): readonly string[] =>
    given
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(read);
  const isList = (given: string): boolean => itemsOf(given).every((item) => fits(form, item));
  return text(isList, sentence).transform(itemsOf).default([]);
};

/** A secret as strong as from `openssl rand -hex 32`. */
const LONG = /^.{32,}$/s;
const RANDOM = 'must be at least 32 random characters';
const secret = text(LONG, RANDOM);
const secrets = list(LONG, RANDOM);

/** A private key of secp256k1. */
const privateKey = text(/^0x[0-9a-fA-F]{64}$/, 'must be a private key: 0x and 64 hex digits');

/** An absolute URL. Names without a dot are allowed, because container networks use them. */
const isUrl = (form: RegExp) => (given: string) => form.test(given) && URL.canParse(given);
const isHttpUrl = isUrl(/^https?:\/\/[^\s/]\S*$/i);

/** A range of addresses in CIDR notation (RFC 4632): `192.0.2.0/24`, `2001:db8::/32`. */
const isRange = (given: string): boolean => isIP(given.split('/', 1)[0] ?? '') > 0 && ipaddr.isValidCIDR(given);
const isAddressOrRange = (given: string): boolean => isIP(given) > 0 || isRange(given);

/** A host name in A-labels, as hosts are known here; an invalid name is passed on for a rule to reject. */
const aLabel = (name: string): string => (name.includes('/') ? '' : domainToASCII(name)) || name.toLowerCase();
/** At least two labels; the last one is not a number. */
const HOST_NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{2,59})$/;

const httpUrl = text(isHttpUrl, 'must be an http(s) URL');
const urls = list(isHttpUrl, 'must be http(s) URLs, comma-separated, best first');
const RPC_RULES = Object.fromEntries(Object.values(CHAINS).map(({ rpcVariable }) => [rpcVariable, urls])) as Readonly<
  Record<RpcVariable, typeof urls>
>;

/** The variables of gateway and worker, each with its rule. The table of networks adds those for RPC endpoints. */
export const RULES = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'], { error: 'must be development, production or test' })
    .default('development'),
  PORT: port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_BASE_URL: httpUrl.optional(),
  DATABASE_URL: text(isUrl(/^postgres(?:ql)?:\/\/\S+$/i), 'must be a postgresql:// URL'),
  REDIS_URL: text(isUrl(/^rediss?:\/\/\S+$/i), 'must be a redis:// URL').optional(),
  X402_NETWORK: z.enum(SELLABLE, { error: `must be ${SELLABLE.join(' or ')}` }).default(DEFAULT_NETWORK),
  X402_PAY_TO: text(/^0x[0-9a-fA-F]{40}$/, 'must be a 0x address of 40 hex digits').optional(),
  X402_FACILITATOR_URL: httpUrl.optional(),
  X402_FACILITATOR_KEY: privateKey.optional(),
  X402_FACILITATOR_AUTH: text(/^[\x21-\x7e][\x20-\x7e]*$/, 'must be the value of an Authorization header').optional(),
  CDP_API_KEY_ID: z.string().optional(),
  CDP_API_KEY_SECRET: z.string().optional(),
  OFFER_SIGNING_KEY: privateKey.optional(),
  FACILITATOR_TRUST: flag.default(false),
  PROBE_CONNECT_TO: list(
    /^[a-z0-9.-]{1,253}:\d{1,5}=(?:http:\/\/)?(?:\[[0-9a-f:.]+\]|[0-9.]+):\d{1,5}$/i,
    'must be host:port=address:port, comma-separated',
  ),
  PROBE_CA_FILE: z.string().optional(),
  WORKER_CONCURRENCY: whole(1, 200).default(20),
  REFRESH_DEADLINE_SEC: whole(5, 40, 'whole number of seconds').default(25),
  /** Half of it must suffice for one free and one paid probe (behaviour 12.10). */
  TARGET_PROBES_PER_15_MIN: whole(2, 10_000).default(6),
  /** Twice the maximum of one probe, for the same reason. */
  TARGET_REQUESTS_PER_MIN: whole(80, 1_000_000).default(240),
  TARGET_CONCURRENCY: whole(1, 100).default(4),
  TRUSTED_PROXIES: list(isAddressOrRange, 'must be addresses or ranges such as 192.0.2.0/24, comma-separated'),
  RATE_LIMIT_CHECKS_PER_MIN: whole(1, 1_000_000).default(300),
  RATE_LIMIT_REQUESTS_PER_MIN: whole(1, 1_000_000).default(6000),
  MAX_CONNECTIONS: whole(1, 100_000).default(2000),
  MAX_CONNECTIONS_PER_ADDRESS: whole(1, 100_000).default(250),
  RATE_LIMIT_REFUSED_PAYMENTS_PER_MIN: whole(1, 1_000_000).default(60),
  RATE_LIMIT_EVIDENCE_PER_MIN: whole(1, 1_000_000).default(60),
  RATE_LIMIT_CLAIMS_PER_HOUR: whole(1, 1_000_000).default(5),
  RATE_LIMIT_OWNER_PROBES_PER_DAY: whole(1, 1_000_000).default(20),
  CLAIM_RESOLVERS: list(
    /^(?:[0-9.]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i,
    'must be name server addresses, comma-separated, each with or without a port',
  ).default(['1.1.1.1', '8.8.8.8', '9.9.9.9']),
  CLAIM_CONFIRM_SEC: whole(1, 86_400, 'whole number of seconds').default(600),
  SUBSCRIPTION_PRICE_USD: text(
    PRICE,
    'must be an amount in USDC such as 5 or 4.50, or a new and an old price such as "7 formerly 5 until 2026-12-01T12:00:00Z"',
  ).optional(),
  SUBSCRIPTION_DAYS: whole(1, 3_660, 'whole number of days').optional(),
  SUBSCRIPTION_REFRESHES_PER_DAY: whole(1, 1_000_000).default(100),
  SUBSCRIPTION_KEY_SECRET: secret.optional(),
  SECRETS_KEY: secret.optional(),
  SECRETS_KEY_FORMER: secrets,
  WEBHOOK_KEY: secret.optional(),
  WEBHOOK_KEY_FORMER: secrets,
  EVIDENCE_S3_ENDPOINT: httpUrl.optional(),
  EVIDENCE_S3_BUCKET: text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be a bucket name').optional(),
  EVIDENCE_S3_REGION: text(/^[a-z0-9-]{1,64}$/, 'must be a region name').default('us-east-1'),
  EVIDENCE_S3_KEY_ID: z.string().optional(),
  EVIDENCE_S3_SECRET: z.string().optional(),
  OPT_OUT: list(HOST_NAME, 'must be host names, comma-separated', aLabel),
  PROBE_SIGNING_KEY: z.string().optional(),
  REPORT_SIGNING_KEY: z.string().optional(),
  PROBER_EGRESS: list(isRange, 'must be address ranges such as 192.0.2.0/24, comma-separated', (range) =>
    range.toLowerCase(),
  ),
  PROBER_CONTACT: text(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be a mailto: or https:// URL').optional(),
  FREE_PRESENCE_PROBE: flag.default(true),
  FREE_PROBES_PER_SITE_DAY: whole(1, 1_000_000).default(8),
  SCHEDULED_PROBES_PER_MIN: whole(0, 1_000).default(10),
  CENSUS_SLOTS: whole(0, 1_000).default(0),
  RETENTION_DAYS: whole(1, 3_660, 'whole number of days').default(30),
  OPERATOR_USER: text(/^[^:\s]{1,64}$/, 'must be a name without a colon').default('operator'),
  OPERATOR_PASSWORD: text(/^.{12,}$/s, 'must be at least 12 characters that are hard to guess').optional(),
  OPERATOR_ACTIONS: flag.default(false),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_TRACES_SAMPLER_ARG: text(/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/, 'must be a number from 0 to 1').default('1'),
  SHUTDOWN_DRAIN_SEC: whole(0, 60, 'whole number of seconds').default(2),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be trace, debug, info, warn, error, fatal or silent',
    })
    .default('info'),
  ...RPC_RULES,
});

/** The variables, each checked individually. */
export type Environment = z.infer<typeof RULES>;

function fits(form: Form, given: string): boolean {
  return typeof form === 'function' ? form(given) : form.test(given);
}
