import { readEnvironment } from './environment';
import { paymentsOf, sellerOf, type PaymentsConfig, type SellerConfig } from './payments-config';
import { priceOf } from './price';
import type { Variables } from './variables';

export interface Config {
  readonly production: boolean;
  readonly logLevel: string;
  readonly http: { readonly port: number; readonly host: string; readonly publicBaseUrl: string };
  readonly database: { readonly url: string };
  /** Null puts the queue on Postgres. */
  readonly redis: { readonly url: string } | null;
  /** Whom payments go to, whoever carries them out; null until it is configured. */
  readonly seller: SellerConfig | null;
  readonly payments: PaymentsConfig | null;
  /** RPC endpoints by chain id, best first; a chain without one answers `unavailable`. */
  readonly rpc: { readonly 8453: readonly string[]; readonly 84532: readonly string[] };
  /** What one caller may ask for. */
  readonly callers: {
    /** Addresses or ranges whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: readonly string[];
    /** Utility checks, paid or not, before the payment gate. */
    readonly checksPerMin: number;
    /** Requests of any kind: a guard against floods. */
    readonly requestsPerMin: number;
  };
  readonly probing: { readonly connectTo: string; readonly caFile: string | null; readonly concurrency: number };
  /** `TARGET_*`: what one probed host may be asked for by all callers and workers together. */
  readonly targets: {
    readonly probesPer15Min: number;
    readonly requestsPerMin: number;
    readonly concurrency: number;
    /** Names that are never probed, beside those of the database. */
    readonly optOut: readonly string[];
  };
  /** `SUBSCRIPTION_*`; null leaves a term as the price list has it. */
  readonly subscriptions: {
    readonly priceUsd: string | null;
    /** What it cost before, still taken until then. */
    readonly formerPrice: { readonly usd: string; readonly until: Date } | null;
    readonly days: number | null;
    /** Fair use: refreshes of its origin that a subscription includes in 24 hours. */
    readonly refreshesPerDay: number;
    /** Makes the keys that payments buy; null lets the processes share one from the database. */
    readonly keySecret: string | null;
  };
  /** How the prober shows who it is. */
  readonly identity: {
    /** Ed25519 key as PEM (PKCS #8) or JWK, plain or base64; null lets the processes share one from the database. */
    readonly signingKey: string | null;
    /** Address ranges probes come from, CIDR. */
    readonly egress: readonly string[];
    /** `mailto:` or `https:` URL. */
    readonly contact: string | null;
  };
  readonly operator: {
    readonly user: string;
    /** Null leaves the operator's pages out. */
    readonly password: string | null;
    /** Whether the board may change anything; otherwise it only shows. */
    readonly actions: boolean;
  };
  /** The listener of `/metrics` and of health apart from what the world reaches; null for none. */
  readonly monitor: { readonly host: string; readonly port: number } | null;
  /** How long a stopping gateway goes on serving, so that whoever sends requests to it learns of it. */
  readonly drainMs: number;
  /** How long a paid refresh may take before it is answered 504, uncharged. */
  readonly refreshDeadlineMs: number;
  /** Free looks, asked for by look-ups or made by the clock. */
  readonly freePresenceProbe: boolean;
  /** Free looks at known hosts that workers begin in a minute by themselves; 0 for none. */
  readonly scheduledLooksPerMin: number;
  /** How long finished looks are kept, in days. */
  readonly retentionDays: number;
}

/**
 * Reads, checks and groups the environment; the only place that does.
 * @throws {ConfigError} naming every wrong variable.
 */
export function loadConfig(env: Variables): Config {
  const environment = readEnvironment(env);
  return Object.freeze({
    production: environment.NODE_ENV === 'production',
    logLevel: environment.LOG_LEVEL,
    http: {
      port: environment.PORT,
      host: environment.HOST,
      publicBaseUrl: (environment.PUBLIC_BASE_URL ?? `http://${environment.HOST}:${environment.PORT}`).replace(
        /\/+$/,
        '',
      ),
    },
    database: { url: environment.DATABASE_URL },
    redis: environment.REDIS_URL === undefined ? null : { url: environment.REDIS_URL },
    seller: sellerOf(environment),
    payments: paymentsOf(environment),
    rpc: { 8453: environment.RPC_URL_8453, 84532: environment.RPC_URL_84532 },
    callers: {
      trustedProxies: environment.TRUSTED_PROXIES,
      checksPerMin: environment.RATE_LIMIT_CHECKS_PER_MIN,
      requestsPerMin: environment.RATE_LIMIT_REQUESTS_PER_MIN,
    },
    probing: {
      connectTo: environment.PROBE_CONNECT_TO.join(','),
      caFile: environment.PROBE_CA_FILE ?? null,
      concurrency: environment.WORKER_CONCURRENCY,
    },
    targets: {
      probesPer15Min: environment.TARGET_PROBES_PER_15_MIN,
      requestsPerMin: environment.TARGET_REQUESTS_PER_MIN,
      concurrency: environment.TARGET_CONCURRENCY,
      optOut: environment.OPT_OUT,
    },
    subscriptions: {
      ...priceOf(environment.SUBSCRIPTION_PRICE_USD),
      days: environment.SUBSCRIPTION_DAYS ?? null,
      refreshesPerDay: environment.SUBSCRIPTION_REFRESHES_PER_DAY,
      keySecret: environment.SUBSCRIPTION_KEY_SECRET ?? null,
    },
    identity: {
      signingKey: environment.PROBE_SIGNING_KEY ?? null,
      egress: environment.PROBER_EGRESS,
      contact: environment.PROBER_CONTACT ?? null,
    },
    operator: {
      user: environment.OPERATOR_USER,
      password: environment.OPERATOR_PASSWORD ?? null,
      actions: environment.OPERATOR_ACTIONS,
    },
    monitor:
      environment.METRICS_PORT === undefined
        ? null
        : { host: environment.METRICS_HOST, port: environment.METRICS_PORT },
    drainMs: environment.SHUTDOWN_DRAIN_SEC * 1_000,
    refreshDeadlineMs: environment.REFRESH_DEADLINE_SEC * 1_000,
    freePresenceProbe: environment.FREE_PRESENCE_PROBE,
    scheduledLooksPerMin: environment.SCHEDULED_LOOKS_PER_MIN,
    retentionDays: environment.RETENTION_DAYS,
  });
}

/** Version of the service and of its interface (spec 9); a test holds it equal to package.json. */
export const VERSION = '0.1.9';
