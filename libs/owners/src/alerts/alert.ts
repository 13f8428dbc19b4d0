import { randomUUID } from 'node:crypto';
import type { DriftEvent, DriftKind } from '@app/reports';

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

/** The first message to a receiver; its answer shows that it wants alerts. */
export const VERIFY_TYPE = 'endpoint.verify';

/** A new alert id, which receivers get as `webhook-id`. */
export function newAlertId(): string {
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

/** A host counts as down after this many consecutive failed probes. */
const SILENT_PROBES = 2;
/** The maximum number of alerts of one host per hour; the others are summarized later. */
export const ALERTS_PER_HOUR = 100;

/** The alert type of each kind of change. New rules are not a change of the host. */
const ALERT_TYPE_OF: Readonly<Partial<Record<DriftKind, AlertType | null>>> = {
  pay_to_changed: 'host.payee_changed',
  price_changed: 'host.price_changed',
  rules_changed: null,
};

/** The maximum bytes of the changes in one alert, as JSON. */
export const CHANGES_BYTES = 8_192;

/** A change in an alert. */
export type AlertChange = Pick<DriftEvent, 'kind' | 'protocol' | 'before' | 'after'>;

/** The changes in an alert: as many as fit, and the number of the others. */
export interface ChangesOfAlert {
  readonly type: AlertType;
  readonly changes: readonly AlertChange[];
  readonly changesOmitted: number;
}

/** The alerts of one probe: one per type, with its changes. */
export function changeAlerts(events: readonly AlertChange[]): readonly ChangesOfAlert[] {
  const changesOf = new Map<AlertType, AlertChange[]>();
  for (const { kind, protocol, before, after } of events) {
    const { [kind]: type = 'host.changed' } = ALERT_TYPE_OF;
    if (type !== null) changesOf.set(type, [...(changesOf.get(type) ?? []), { kind, protocol, before, after }]);
  }
  return [...changesOf].map(([type, all]) => {
    const changes = withinBytes(all);
    return { type, changes, changesOmitted: all.length - changes.length };
  });
}

/** The changes that fit, in order; one that is too large does not exclude smaller ones after it. */
function withinBytes(changes: readonly AlertChange[]): readonly AlertChange[] {
  let bytes = '[]'.length;
  return changes.filter((change) => {
    const more = Buffer.byteLength(JSON.stringify(change)) + ','.length;
    const fits = bytes + more <= CHANGES_BYTES;
    if (fits) bytes += more;
    return fits;
  });
}

/** The counters of a watched host. */
export interface WatchedCounts {
  readonly seq: number;
  /** Consecutive probes without an answer. */
  readonly silent: number;
  /** Alerts in the current hour. */
  readonly inHour: number;
  /** Omitted alerts since the last one. */
  readonly held: number;
}

/** An alert about a host, with its number. */
export interface NumberedAlert extends ChangesOfAlert {
  readonly seq: number;
  readonly coalesced: number | null;
}

const NO_CHANGES = { changes: [], changesOmitted: 0 } as const;

/** The alerts of one probe of a watched host, and its new counters. */
export function alertsOf(
  counts: WatchedCounts,
  changes: readonly ChangesOfAlert[],
  outcome: 'up' | 'down' | 'unknown' | undefined,
): { readonly alerts: readonly NumberedAlert[]; readonly counts: WatchedCounts } {
  const silent = outcome === 'up' ? 0 : outcome === 'down' ? counts.silent + 1 : counts.silent;
  const told = [...changes];
  if (outcome === 'down' && silent === SILENT_PROBES) told.push({ ...NO_CHANGES, type: 'host.unreachable' });
  if (outcome === 'up' && counts.silent >= SILENT_PROBES) told.push({ ...NO_CHANGES, type: 'host.recovered' });
  const room = Math.max(0, ALERTS_PER_HOUR - counts.inHour);
  const coalesces = counts.held > 0 && room > 0;
  const sent = told.slice(0, coalesces ? room - 1 : room);
  const alerts = [
    ...(coalesces ? [{ ...NO_CHANGES, type: 'host.changed' as const, coalesced: counts.held }] : []),
    ...sent.map((alert) => ({ ...alert, coalesced: null })),
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
