import type { JsonValue } from '@app/detectors';

/** Contract 4. */
export type DriftKind =
  | 'appeared'
  | 'vanished'
  | 'degraded'
  | 'recovered'
  | 'version_changed'
  | 'endpoint_changed'
  | 'price_changed'
  | 'pay_to_changed'
  | 'details_changed';

/** One change of a host, fully determined by the looks that showed it; the database adds the id. */
export interface DriftEvent {
  /** Time of the look that showed the change, ISO 8601. */
  readonly at: string;
  /** A detector id. */
  readonly protocol: string;
  readonly kind: DriftKind;
  /** One sentence with what holds now; what held before is in `before` alone. */
  readonly summary: string;
  /** Normalised values: a status, a version, an endpoint, or an object of the changed members. */
  readonly before: JsonValue;
  readonly after: JsonValue;
}
