import type { ProbeProducer, ProbeQueue } from '@app/queue';

/** Injection token of the configuration, `Config`. */
export const CONFIG = Symbol('Config');
/** Injection token of the process's logger, `Logger`. */
export const LOGGER = Symbol('Logger');
/** Injection token of the counters that all processes share, `LimitStore`. */
export const LIMITS = Symbol('LimitStore');
/** Injection token of the gateway's side of the queues, {@link Producers}. */
export const PRODUCERS = Symbol('Producers');
export type Producers = Readonly<Record<ProbeQueue, ProbeProducer>>;
