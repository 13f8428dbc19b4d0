import { withoutTrailing } from '@app/platform';
import { perChain, type ReadableId } from '@app/networks';
import { bucketOf } from './bucket-config';
import { readEnvironment } from './environment';
import { paymentsOf, sellerOf, type PaymentsConfig, type SellerConfig } from './payments-config';
import { priceOf } from './price';
import type { Variables } from './variables';

export interface Config {
  readonly production: boolean;
  readonly logLevel: string;
  readonly http: { readonly port: number; readonly host: string; readonly publicBaseUrl: string };
  readonly database: {
    readonly url: string;
    /** What the secrets in it are sealed under, the key in use first; the others only open. */
    readonly secretsKeys: readonly string[];
    /** The bucket of an S3-compatible service that takes the bytes of evidence; null keeps them in Postgres. */
    readonly evidence: ReturnType<typeof bucketOf>;
  };
  /** Null puts the queue on Postgres. */
  readonly redis: { readonly url: string } | null;
  /** The account that payments go to, with any facilitator; null until it is configured. */
  readonly seller: SellerConfig | null;
  readonly payments: PaymentsConfig | null;
  /** RPC endpoints by network (CAIP-2), best first; a network without one answers `unavailable`. */
  readonly rpc: Readonly<Record<ReadableId, readonly string[]>>;
  /** What one caller may request. */
  readonly callers: {
    /** Addresses or ranges whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: readonly string[];
    /** Utility checks, paid or not, before the payment gate. */
    readonly checksPerMin: number;
    /** Requests of any kind: a guard against floods. */
    readonly requestsPerMin: number;
    /** Open at a time at one gateway, all together and of one address. */
    readonly connections: { readonly total: number; readonly perAddress: number };

    /** Payments that were refused. */
    readonly refusedPaymentsPerMin: number;
    /** Files of evidence. */
    readonly evidencePerMin: number;
    /** Claims begun. */
    readonly claimsPerHour: number;
    /** Free probes that the owners of one host ask for. */
    readonly ownerProbesPerDay: number;
  };
  readonly probing: { readonly connectTo: string; readonly caFile: string | null; readonly concurrency: number };
  /** `TARGET_*`: what all callers and workers together may request from one host. */
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
  /** Recursive name servers that must agree about the record of a claim. */
  readonly claimResolvers: readonly string[];
  /** How far apart control of a host has to be seen twice. */
  readonly claimConfirmMs: number;
  /**
   * Secrets of workers: alerts are signed and secrets of receivers opened with keys made from `key`, and opened with those of
   * `former`. Null lets the workers share one from the database.
   */
  readonly webhooks: { readonly key: string | null; readonly former: readonly string[] };
  /** Ed25519 key that signs statements, written as `identity.signingKey`; null draws one, kept in the database. */
  readonly reportSigningKey: string | null;
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
  /** How long a stopping gateway goes on serving, so that load balancers and clients learn of it. */
  readonly drainMs: number;
  /** How long a paid refresh may take before it is answered 504, uncharged. */
  readonly refreshDeadlineMs: number;
  /** Whether free probes are made, begun by lookups or by the clock. */
  readonly freePresenceProbe: boolean;
  /** Free probes of one registrable domain in a day, asked for or by the clock. */
  readonly freeProbesPerSiteDay: number;
  /** Free probes of known hosts that workers begin by themselves in a minute; 0 for none. */
  readonly scheduledProbesPerMin: number;
  /** Hosts of a census that a worker probes at once beside its free probes. */
  readonly censusSlots: number;
  /** How long finished runs are kept, in days. */
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
      publicBaseUrl: withoutTrailing(
        environment.PUBLIC_BASE_URL ?? `http://${environment.HOST}:${environment.PORT}`,
        '/',
      ),
    },
    database: {
      url: environment.DATABASE_URL,
      secretsKeys: [
        ...(environment.SECRETS_KEY === undefined ? [] : [environment.SECRETS_KEY]),
        ...environment.SECRETS_KEY_FORMER,
        DEVELOPMENT_SECRETS_KEY,
      ],
      evidence: bucketOf(environment),
    },
    redis: environment.REDIS_URL === undefined ? null : { url: environment.REDIS_URL },
    seller: sellerOf(environment),
    payments: paymentsOf(environment),
    rpc: perChain(({ rpcVariable }) => environment[rpcVariable]),
    callers: {
      trustedProxies: environment.TRUSTED_PROXIES,
      checksPerMin: environment.RATE_LIMIT_CHECKS_PER_MIN,
      requestsPerMin: environment.RATE_LIMIT_REQUESTS_PER_MIN,
      connections: { total: environment.MAX_CONNECTIONS, perAddress: environment.MAX_CONNECTIONS_PER_ADDRESS },

      refusedPaymentsPerMin: environment.RATE_LIMIT_REFUSED_PAYMENTS_PER_MIN,
      evidencePerMin: environment.RATE_LIMIT_EVIDENCE_PER_MIN,
      claimsPerHour: environment.RATE_LIMIT_CLAIMS_PER_HOUR,
      ownerProbesPerDay: environment.RATE_LIMIT_OWNER_PROBES_PER_DAY,
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
    claimResolvers: environment.CLAIM_RESOLVERS,
    claimConfirmMs: environment.CLAIM_CONFIRM_SEC * 1_000,
    webhooks: { key: environment.WEBHOOK_KEY ?? null, former: environment.WEBHOOK_KEY_FORMER },
    reportSigningKey: environment.REPORT_SIGNING_KEY ?? null,
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
    freeProbesPerSiteDay: environment.FREE_PROBES_PER_SITE_DAY,
    scheduledProbesPerMin: environment.SCHEDULED_PROBES_PER_MIN,
    censusSlots: environment.CENSUS_SLOTS,
    retentionDays: environment.RETENTION_DAYS,
  });
}

/**
 * Seals what a service keeps that was started without SECRETS_KEY, which production is not. It is public, and so always
 * read: a service that gets a key of its own seals its secrets again.
 */
const DEVELOPMENT_SECRETS_KEY = 'hostprobe development: seals nothing';

/** Version of the product, which moves with each release; the interface has its own (behaviour 14.1). */
export const VERSION = '0.2.0';
