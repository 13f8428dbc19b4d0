import { DETECTORS, type Detector, type ProbePhase, type ProtocolCell } from '@app/detectors';
import { cellDrift, type CellMemory } from './cell-drift';
import { driftSummary, type DriftEvent } from './drift-event';
import { normalCell } from './normal-cell';
import type { PaymentRails } from './payment-rails';
import { railDrift, type RailMemory } from './rail-drift';

/**
 * The memory of a host that is needed to detect changes. It is plain JSON and survives a round trip through storage.
 */
export interface DriftMemory {
  readonly cells: readonly CellMemory[];
  readonly rails: readonly RailMemory[];
}

/** A finished probe of all protocols or of one. */
export interface DriftProbe {
  readonly cells: readonly ProtocolCell[];
  /** The payment options that this probe found; null if it called nothing. */
  readonly rails: PaymentRails | null;
  /** `callability` for a probe that also tested the declared endpoints. */
  readonly phase: ProbePhase;
  /** ISO 8601 in UTC; a probe recorded twice has the same time. */
  readonly at: string;
}

/** The result of evaluating the stored evidence of a host with newer rules (behaviour 14.2). */
export interface Rejudged {
  /** The cells that changed; `before` has the stored ones. */
  readonly cells: readonly ProtocolCell[];
  readonly before: readonly ProtocolCell[];
  readonly rails: PaymentRails;
  /** Whether the evidence includes a callability probe. */
  readonly phase: ProbePhase;
  /** The time of the re-evaluation, ISO 8601 in UTC. */
  readonly at: string;
}

export interface Drift {
  readonly events: readonly DriftEvent[];
  readonly memory: DriftMemory;
}

/** Protocols whose status may depend on calls that a presence probe does not make. */
const EXERCISED: ReadonlySet<string> = new Set(
  (DETECTORS as readonly Detector[]).filter((detector) => detector.exercises).map((detector) => detector.id),
);

/**
 * The changes of a host since the probes in `memory` (behaviour 8.1), based on normalized cells. An `error` (or
 * `undiscoverable`) does not count as a probe: it makes no event, and the memory keeps the last good cell. `vanished`
 * and `pay_to_changed` need a second probe with the same result. Without memory, the first probe of a host or protocol
 * is a baseline without events.
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
 * Changes of the rules, never of the host: one `rules_changed` for each cell that differs. The memory of these cells
 * and of payment options starts over, so that the next probe is compared with the result under the new rules.
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
      const summary = driftSummary(cell.id, words);
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
