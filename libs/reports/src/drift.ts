import { DETECTORS, type Detector, type ProbePhase, type ProtocolCell } from '@app/detectors';
import { cellDrift, type CellMemory } from './cell-drift';
import type { DriftEvent } from './drift-event';
import { normalCell } from './normal-cell';
import type { PaymentRails } from './payment-rails';
import { railDrift, type RailMemory } from './rail-drift';

/** What must be kept of a host to tell a change from a look. Plain JSON, the same after a round trip through a store. */
export interface DriftMemory {
  readonly cells: readonly CellMemory[];
  readonly rails: readonly RailMemory[];
}

/** One finished look, of all protocols or of one. */
export interface DriftLook {
  readonly cells: readonly ProtocolCell[];
  /** The rails this very look met; null when it exercised nothing. */
  readonly rails: PaymentRails | null;
  /** `callability` for a look that also exercised what was declared. */
  readonly phase: ProbePhase;
  /** ISO 8601 in UTC; a look recorded twice has the same time. */
  readonly at: string;
}

export interface Drift {
  readonly events: readonly DriftEvent[];
  readonly memory: DriftMemory;
}

/** Protocols whose verdict may rest on calls that a presence look does not make. */
const EXERCISED: ReadonlySet<string> = new Set(
  (DETECTORS as readonly Detector[]).filter((detector) => detector.exercises).map((detector) => detector.id),
);

/**
 * What changed at a host since the looks behind `memory` (contract 4). Compares normalised cells. An `error` (and
 * `undiscoverable`) is no look at all: it makes no event and leaves the last good cell in memory. `vanished` and
 * `pay_to_changed` wait for a second look that says the same. The first look at a host or a protocol, without memory,
 * records a baseline and makes no events: that we started to look is not a change of the host.
 */
export function driftOf(
  memory: DriftMemory | null,
  look: DriftLook,
  exercised: ReadonlySet<string> = EXERCISED,
): Drift {
  const cells = new Map((memory?.cells ?? []).map((cell) => [cell.id, cell]));
  const events: DriftEvent[] = [];
  for (const { id, ...cell } of look.cells) {
    const normal = normalCell({ id, ...cell });
    if (normal === undefined) continue;
    const phase = exercised.has(id) ? look.phase : 'presence';
    const drift = cellDrift(cells.get(id), { id, cell: normal, phase, at: look.at });
    cells.set(id, drift.memory);
    events.push(...drift.events);
  }
  const rails = railDrift(memory?.rails ?? [], look.rails?.rails ?? [], look.at);
  return {
    events: [...events, ...rails.events],
    memory: { cells: [...cells.values()], rails: rails.memory },
  };
}
