import { defined, withoutTrailing, type DeepReadonly } from '@app/platform';
import { perChain } from '@app/networks';
import { bucketFaults, bucketOf } from './bucket-config';
import { RULES, type Environment } from './environment';
import { paymentFaults, paymentsOf, sellerOf } from './payments-config';
import { priceOf } from './price';
import { exampleFaults, productionFaults } from './production-faults';
import { given, type Variables } from './variables';

/** The configuration of a process. */
export type Config = DeepReadonly<ReturnType<typeof loadConfig>>;

/**
 * Reads, checks and groups the environment variables; nothing else reads them.
 * @throws {ConfigError} that names every invalid variable.
 */
export function loadConfig(env: Variables) {
  const environment = readEnvironment(env);
  const { HOST, PORT } = environment;
  return Object.freeze({
    production: environment.NODE_ENV === 'production',
    logLevel: environment.LOG_LEVEL,
    http: {
      port: PORT,
      host: HOST,
      publicBaseUrl: withoutTrailing(environment.PUBLIC_BASE_URL ?? `http://${HOST}:${PORT}`, '/'),
    },
    database: {
      url: environment.DATABASE_URL,
      /** Keys that encrypt the stored secrets: the first encrypts, the others only decrypt. */
      secretsKeys: [
        ...(environment.SECRETS_KEY === undefined ? [] : [environment.SECRETS_KEY]),
        ...environment.SECRETS_KEY_FORMER,
        DEVELOPMENT_SECRETS_KEY,
      ],
      /** The bucket of an S3-compatible service that takes the bytes of evidence; null keeps them in Postgres. */
      evidence: bucketOf(environment),
    },
    /** Null uses Postgres for the queue. */
    redis: environment.REDIS_URL === undefined ? null : { url: environment.REDIS_URL },
    /** The account that receives payments, with any facilitator; null until it is configured. */
    seller: sellerOf(environment),
    payments: paymentsOf(environment),
    /** RPC endpoints by network (CAIP-2), best first. Checks on a network without one answer `unavailable`. */
    rpc: perChain(({ rpcVariable }) => environment[rpcVariable]),
    /** Rate limits per caller. */
    callers: {
      /** Addresses or ranges whose `X-Forwarded-For` is trusted. */
      trustedProxies: environment.TRUSTED_PROXIES,
      /** Utility checks, paid or not, counted before payment. */
      checksPerMin: environment.RATE_LIMIT_CHECKS_PER_MIN,
      /** Requests of any kind, as a protection against floods. */
      requestsPerMin: environment.RATE_LIMIT_REQUESTS_PER_MIN,
      /** Open connections of one gateway, in total and per address. */
      connections: { total: environment.MAX_CONNECTIONS, perAddress: environment.MAX_CONNECTIONS_PER_ADDRESS },
      refusedPaymentsPerMin: environment.RATE_LIMIT_REFUSED_PAYMENTS_PER_MIN,
      /** Evidence downloads. */
      evidencePerMin: environment.RATE_LIMIT_EVIDENCE_PER_MIN,
      /** New claims. */
      claimsPerHour: environment.RATE_LIMIT_CLAIMS_PER_HOUR,
      /** Free probes requested by owners of one host. */
      ownerProbesPerDay: environment.RATE_LIMIT_OWNER_PROBES_PER_DAY,
    },
    probing: {
      connectTo: environment.PROBE_CONNECT_TO.join(','),
      caFile: environment.PROBE_CA_FILE ?? null,
      concurrency: environment.WORKER_CONCURRENCY,
    },
    /** Limits on requests to one host, for all callers and workers together. */
    targets: {
      probesPer15Min: environment.TARGET_PROBES_PER_15_MIN,
      requestsPerMin: environment.TARGET_REQUESTS_PER_MIN,
      concurrency: environment.TARGET_CONCURRENCY,
      /** Names that are never probed, in addition to those in the database. */
      optOut: environment.OPT_OUT,
    },
    /** Null keeps the default of the price list. */
    subscriptions: {
      ...priceOf(environment.SUBSCRIPTION_PRICE_USD),
      days: environment.SUBSCRIPTION_DAYS ?? null,
      /** Fair use: how many refreshes of its origin a subscription includes in 24 hours. */
      refreshesPerDay: environment.SUBSCRIPTION_REFRESHES_PER_DAY,
      /** Derives the keys that payments buy; with null, the processes share one from the database. */
      keySecret: environment.SUBSCRIPTION_KEY_SECRET ?? null,
    },
    /** Recursive name servers that must agree on the record of a claim. */
    claimResolvers: environment.CLAIM_RESOLVERS,
    /** Time between the two checks that verify a claim. */
    claimConfirmMs: environment.CLAIM_CONFIRM_SEC * 1_000,
    /**
     * Secrets of workers. Keys derived from `key` sign alerts and decrypt the secrets of receivers; those from `former`
     * only decrypt. With null, the workers share one from the database.
     */
    webhooks: { key: environment.WEBHOOK_KEY ?? null, former: environment.WEBHOOK_KEY_FORMER },
    /**
     * The Ed25519 key that signs statements, in the format of `identity.signingKey`; with null, one is generated and
     * stored in the database.
     */
    reportSigningKey: environment.REPORT_SIGNING_KEY ?? null,
    /** How the prober identifies itself. */
    identity: {
      /** Ed25519 key as PEM (PKCS #8) or JWK, plain or base64; with null, the processes share one from the database. */
      signingKey: environment.PROBE_SIGNING_KEY ?? null,
      /** The address ranges of the prober, in CIDR notation. */
      egress: environment.PROBER_EGRESS,
      /** `mailto:` or `https:` URL. */
      contact: environment.PROBER_CONTACT ?? null,
    },
    operator: {
      user: environment.OPERATOR_USER,
      /** Null disables the operator pages. */
      password: environment.OPERATOR_PASSWORD ?? null,
      /** Whether the queue board may change jobs; otherwise it is read-only. */
      actions: environment.OPERATOR_ACTIONS,
    },
    /** The separate listener for `/metrics` and health, not reachable from outside; null for none. */
    monitor:
      environment.METRICS_PORT === undefined
        ? null
        : { host: environment.METRICS_HOST, port: environment.METRICS_PORT },
    /** Whether spans are sent, and for which fraction of traces (0 to 1). The SDK reads the endpoint itself. */
    tracing:
      environment.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? null
        : { share: Number(environment.OTEL_TRACES_SAMPLER_ARG) },
    /** How long a stopping gateway keeps serving, so that load balancers and clients notice. */
    drainMs: environment.SHUTDOWN_DRAIN_SEC * 1_000,
    /** How long a paid refresh may take; after that the answer is an uncharged 504. */
    refreshDeadlineMs: environment.REFRESH_DEADLINE_SEC * 1_000,
    /** Whether free probes are made, on lookups or on schedule. */
    freePresenceProbe: environment.FREE_PRESENCE_PROBE,
    /** Free probes of one registrable domain per day, requested or scheduled. */
    freeProbesPerSiteDay: environment.FREE_PROBES_PER_SITE_DAY,
    /** Scheduled free probes of known hosts per minute; 0 disables them. */
    scheduledProbesPerMin: environment.SCHEDULED_PROBES_PER_MIN,
    /** Census hosts that a worker probes at once, in addition to its free probes. */
    censusSlots: environment.CENSUS_SLOTS,
    /** How long finished runs are kept, in days. */
    retentionDays: environment.RETENTION_DAYS,
  });
}

/** The names of all variables, for the table in docs/configuration.md and for `.env.example`. */
export const VARIABLES: readonly string[] = Object.keys(RULES.shape);

/** @throws {ConfigError} that lists every fault by name and rule, without values. */
function readEnvironment(env: Variables): Environment {
  const set = defined(Object.fromEntries(VARIABLES.map((name) => [name, given(env, name)])));
  const reading = RULES.safeParse(set);
  const wrong = (reading.error?.issues ?? []).map(({ path, message }) => ({ name: String(path[0]), message }));
  // Rules about several variables are skipped if one of the variables is invalid by itself.
  const names = new Set(wrong.map(({ name }) => name));
  const rest = Object.entries(set).filter(([name]) => !names.has(name));
  const environment = RULES.parse({ DATABASE_URL: 'postgresql://unknown', ...Object.fromEntries(rest) });
  const isProduction = environment.NODE_ENV === 'production';
  const together = [
    ...(isProduction ? productionFaults(environment) : []),
    ...bucketFaults(environment),
    ...paymentFaults(environment),
  ].filter((fault) => !wrong.some(({ name }) => fault.includes(name)));
  const faults = [
    ...wrong.map(({ name, message }) => `${name} ${message}`),
    ...together,
    ...(isProduction ? exampleFaults(set) : []),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return environment;
}

export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`Wrong configuration: ${faults.join('; ')}.`);
    this.name = 'ConfigError';
  }
}

/**
 * The encryption key of a service without SECRETS_KEY, which production does not allow. It is public and always
 * accepted for decryption: when a service gets its own key, it encrypts its secrets again.
 */
const DEVELOPMENT_SECRETS_KEY = 'hostprobe development: seals nothing';

/** The version of the product, which changes with each release. The interface has its own (behaviour 14.1). */
export const VERSION = '0.2.0';
