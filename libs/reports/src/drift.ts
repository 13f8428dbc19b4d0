import { DETECTORS, type Detector, type ProbePhase, type ProtocolCell } from '@app/detectors';
import { cellDrift, type CellMemory } from './cell-drift';
import { summaryOf, type DriftEvent } from './drift-event';
import { normalCell } from './normal-cell';
import type { PaymentRails } from './payment-rails';
import { railDrift, type RailMemory } from './rail-drift';

/** What must be kept of a host to tell a change from a probe. Plain JSON, the same after a round trip through a store. */
export interface DriftMemory {
  readonly cells: readonly CellMemory[];
  readonly rails: readonly RailMemory[];
}

/** One finished probe, of all protocols or of one. */
export interface DriftProbe {
  readonly cells: readonly ProtocolCell[];
  /** The rails that this probe met; null when it exercised nothing. */
  readonly rails: PaymentRails | null;
  /** `callability` for a probe that also tested the declared endpoints. */
  readonly phase: ProbePhase;
  /** ISO 8601 in UTC; a probe recorded twice has the same time. */
  readonly at: string;
}

/** What judging the stored evidence of a host again changes (behaviour 14.2). */
export interface Rejudged {
  /** Cells that differ from the stored ones, which are `before`. */
  readonly cells: readonly ProtocolCell[];
  readonly before: readonly ProtocolCell[];
  readonly rails: PaymentRails;
  /** Whether the evidence includes a callability probe. */
  readonly phase: ProbePhase;
  /** ISO 8601 in UTC: when it was judged again. */
  readonly at: string;
}

export interface Drift {
  readonly events: readonly DriftEvent[];
  readonly memory: DriftMemory;
}

/** Protocols whose status may rest on calls that a presence probe does not make. */
const EXERCISED: ReadonlySet<string> = new Set(
  (DETECTORS as readonly Detector[]).filter((detector) => detector.exercises).map((detector) => detector.id),
);

/**
 * What changed at a host since the probes behind `memory` (behaviour 8.1). Compares normalised cells. An `error` (and
 * `undiscoverable`) is no probe at all: it makes no event and leaves the last good cell in memory. `vanished` and
 * `pay_to_changed` wait for a second probe that says the same. The first probe of a host or a protocol, without memory,
 * records a baseline and makes no events: the first probe is not a change of the host.
 */
export function driftOf(
  memory: DriftMemory | null,
  probe: DriftProbe,
  exercised: ReadonlySet<string> = EXERCISED,
): Drift {
  const cells = new Map((memory?.cells ?? []).map((cell) => [cell.id, cell]));
  const events: DriftEvent[] = [];
  for (const { id, ...cell } of probe.cells) {
    const normal = normalCell({ id, ...cell });
    if (normal === undefined) continue;
    const phase = exercised.has(id) ? probe.phase : 'presence';
    const drift = cellDrift(cells.get(id), { id, cell: normal, phase, at: probe.at });
    cells.set(id, drift.memory);
    events.push(...drift.events);
  }
  const rails = railDrift(memory?.rails ?? [], probe.rails?.rails ?? [], probe.at);
  return {
    events: [...events, ...rails.events],
    memory: { cells: [...cells.values()], rails: rails.memory },
  };
}

/**
 * Changes of the rules, never of the host: one `rules_changed` for each cell that differs. What is remembered of these
 * cells and of payment options begins anew, so that the next probe is compared with what the new rules say.
 */
export function rulesDrift(memory: DriftMemory | null, { cells, before, rails, phase, at }: Rejudged): Drift {
  const fresh = driftOf(null, { cells, rails, phase, at }).memory;
  return {
    events: cells.map((cell) => {
      const was = before.find(({ id }) => id === cell.id)?.status ?? null;
      const words =
        was === cell.status
          ? 'is described differently by newer rules; the host did not change'
          : `is ${cell.status} under newer rules; the host did not change`;
      const summary = summaryOf(cell.id, words);
      return { at, protocol: cell.id, kind: 'rules_changed', summary, before: was, after: cell.status };
    }),
    memory: {
      cells: replaced(memory?.cells ?? [], fresh.cells, ({ id }) => id),
      rails: replaced(memory?.rails ?? [], fresh.rails, ({ key }) => key),
    },
  };
}

function replaced<Item>(old: readonly Item[], fresh: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map([...old, ...fresh].map((item) => [keyOf(item), item])).values()];
}
