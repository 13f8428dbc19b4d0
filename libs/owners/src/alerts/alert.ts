import { randomUUID } from 'node:crypto';
import type { DriftKind } from '@app/reports';

/** Alert types of a watch. */
export const ALERT_TYPES = [
  'host.changed',
  'host.payee_changed',
  'host.price_changed',
  'host.unreachable',
  'host.recovered',
  'claim.lapsing',
] as const;
export type AlertType = (typeof ALERT_TYPES)[number];

/** What a receiver gets first: its answer shows that it wants alerts. */
export const VERIFY_TYPE = 'endpoint.verify';

/** An id of an alert, which receivers get as its `webhook-id`. */
export function newAlertId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

/** A host counts as down after this many failed probes in a row. */
const SILENT_PROBES = 2;
/** Maximum alerts of one host per hour. The others are summed up later. */
export const ALERTS_PER_HOUR = 100;

/** The alert type of each kind of change. Newer rules are not a change of the host. */
const TOLD_AS: Readonly<Partial<Record<DriftKind, AlertType | null>>> = {
  pay_to_changed: 'host.payee_changed',
  price_changed: 'host.price_changed',
  rules_changed: null,
};

/** The alerts of one probe: one of each type, however many changes it showed. */
export function alertTypesOf(changes: readonly { readonly kind: DriftKind }[]): readonly AlertType[] {
  const told = changes.flatMap(({ kind }) => {
    const type = TOLD_AS[kind];
    return type === null ? [] : [type ?? 'host.changed'];
  });
  return [...new Set(told)];
}

/** What is counted of a watched host. */
export interface WatchedCounts {
  readonly seq: number;
  /** Probes in a row that it did not answer. */
  readonly silent: number;
  /** Alerts in this hour. */
  readonly inHour: number;
  /** Alerts that were left out since. */
  readonly held: number;
}

/** An alert about a host, numbered. */
export interface NumberedAlert {
  readonly type: AlertType;
  readonly seq: number;
  readonly coalesced: number | null;
}

/** The alerts of one probe of a watched host, and the counters after it. */
export function alertsOf(
  counts: WatchedCounts,
  changes: readonly AlertType[],
  outcome: 'up' | 'down' | 'unknown' | undefined,
): { readonly alerts: readonly NumberedAlert[]; readonly counts: WatchedCounts } {
  const silent = outcome === 'up' ? 0 : outcome === 'down' ? counts.silent + 1 : counts.silent;
  const told: AlertType[] = [...changes];
  if (outcome === 'down' && silent === SILENT_PROBES) told.push('host.unreachable');
  if (outcome === 'up' && counts.silent >= SILENT_PROBES) told.push('host.recovered');
  const room = Math.max(0, ALERTS_PER_HOUR - counts.inHour);
  const coalesces = counts.held > 0 && room > 0;
  const sent = told.slice(0, coalesces ? room - 1 : room);
  const alerts = [
    ...(coalesces ? [{ type: 'host.changed' as const, coalesced: counts.held }] : []),
    ...sent.map((type) => ({ type, coalesced: null })),
  ].map((alert, at) => ({ ...alert, seq: counts.seq + at + 1 }));
  return {
    alerts,
    counts: {
      seq: counts.seq + alerts.length,
      silent,
      inHour: counts.inHour + alerts.length,
      held: (coalesces ? 0 : counts.held) + told.length - sent.length,
    },
  };
}
