/** `off`: not configured. */
export type PartState = 'up' | 'down' | 'off';

/** What a health check asks, in the order it is shown; whatever throws is `down`. */
export type HealthParts = Readonly<Record<'database' | 'queue' | 'worker' | 'facilitator', () => Promise<PartState>>>;

/** Injection token of {@link HealthParts}. */
export const HEALTH_PARTS = Symbol('HealthParts');
