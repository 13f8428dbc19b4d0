import { type JsonObject, type JsonValue, type ProbePhase } from '@app/detectors';
import { defined } from '@app/platform';
import { driftSummary, type DriftEvent, type DriftKind } from './drift-event';
import { canonicalJson, type NormalCell } from './normal-cell';

/** The memory of one protocol of one host, as plain JSON. */
export interface CellMemory {
  readonly id: string;
  /** The state after all events so far. */
  readonly known: NormalCell;
  /**
   * The last probe of each phase. A presence probe sees less than a callability probe, so each is compared with one of
   * its own kind: a paid route that was not called this time has not vanished.
   */
  readonly seen: Partial<Readonly<Record<ProbePhase, NormalCell>>>;
  /**
   * The time of a probe that no longer found the protocol; if the next one does not either, the event is `vanished`.
   */
  readonly missedAt?: string;
  /** Whether it was ever `present`; only then it can recover. */
  readonly wasPresent?: true;
}

export interface SeenCell {
  readonly id: string;
  readonly cell: NormalCell;
  readonly phase: ProbePhase;
  readonly at: string;
}

export interface CellDrift {
  readonly memory: CellMemory;
  readonly events: readonly DriftEvent[];
}

/** Compares a cell with the memory. The first probe of a phase is a baseline without events. */
export function cellDrift(memory: CellMemory | undefined, probe: SeenCell): CellDrift {
  const drift = driftSince(memory, probe);
  const present = [memory?.known, drift.memory.known].some((known) => known?.status === 'present');
  return memory?.wasPresent || present ? { ...drift, memory: { ...drift.memory, wasPresent: true } } : drift;
}

function driftSince(memory: CellMemory | undefined, probe: SeenCell): CellDrift {
  const { cell, phase } = probe;
  if (memory === undefined) return { memory: { id: probe.id, known: cell, seen: { [phase]: cell } }, events: [] };
  const previous = memory.seen[phase] ?? substitute(memory, probe);
  if (previous === undefined) {
    const known = phase === 'callability' ? cell : memory.known;
    return { memory: remembered(memory, probe, known, memory.seen), events: [] };
  }
  if (cell.status === 'absent' && previous.status !== 'absent' && memory.known.status !== 'absent') {
    return missed(memory, probe);
  }
  return compared(memory, previous, probe);
}

/**
 * A callability probe makes all requests of a presence probe, so if it finds nothing, a presence probe would not
 * either.
 */
function substitute(memory: CellMemory, { cell, phase }: SeenCell): NormalCell | undefined {
  return phase === 'callability' && cell.status === 'absent' ? memory.known : undefined;
}

/** Behaviour 8.2: `vanished` needs two consecutive probes. The same probe recorded twice counts once. */
function missed(memory: CellMemory, probe: SeenCell): CellDrift {
  if (memory.missedAt === undefined) return { memory: { ...memory, missedAt: probe.at }, events: [] };
  if (probe.at <= memory.missedAt) return { memory, events: [] };
  const event = eventOf(
    probe,
    'vanished',
    'is no longer available: two probes in a row found nothing',
    memory.known.status,
    'absent',
  );
  return {
    memory: { id: memory.id, known: probe.cell, seen: { presence: probe.cell, callability: probe.cell } },
    events: [event],
  };
}

/** Makes an event if this probe differs both from the previous one of its phase and from the state after all events. */
function compared(memory: CellMemory, previous: NormalCell, probe: SeenCell): CellDrift {
  const { cell } = probe;
  const known: NormalCell = {
    ...whereSame(previous, cell, memory.known),
    // The known fields, updated with those that changed since the previous probe.
    details: replaced(memory.known.details, differing(previous.details, cell.details), cell.details),
  };
  return {
    memory: remembered(memory, probe, known, followed(memory, known, probe)),
    events: cell.status === 'absent' ? [] : changes(memory, known, probe),
  };
}

/** A probe that found the protocol ends the wait for a second miss. */
function remembered(
  { id, missedAt }: CellMemory,
  { cell, phase }: SeenCell,
  known: NormalCell,
  seen: CellMemory['seen'],
): CellMemory {
  const pending = cell.status === 'absent' ? missedAt : undefined;
  return { id, known, seen: { ...seen, [phase]: cell }, ...defined({ missedAt: pending }) };
}

/**
 * A change found by a presence probe also updates the memory of callability probes where they had the old value;
 * otherwise they would not notice the change back. The opposite does not hold, because a presence probe sees less.
 */
function followed(memory: CellMemory, known: NormalCell, { phase }: SeenCell): CellMemory['seen'] {
  const { callability } = memory.seen;
  if (phase !== 'presence' || callability === undefined) return memory.seen;
  const before = memory.known;
  const moved = differing(before.details, known.details).filter(
    (name) => canonicalJson(before.details[name]) === canonicalJson(callability.details[name]),
  );
  return {
    ...memory.seen,
    callability: {
      ...whereSame(before, callability, known),
      details: replaced(callability.details, moved, known.details),
    },
  };
}

/** The values of `now`, but those of `known` where nothing changed since `before`. */
function whereSame(before: NormalCell, now: NormalCell, known: NormalCell): Omit<NormalCell, 'details'> {
  return {
    status: now.status === before.status ? known.status : now.status,
    version: now.version === before.version ? known.version : now.version,
    endpoint: now.endpoint === before.endpoint ? known.endpoint : now.endpoint,
  };
}

/** `details` with the fields `names` taken from `source`, or removed if `source` does not have them. */
function replaced(details: JsonObject, names: readonly string[], source: JsonObject): JsonObject {
  const kept = Object.entries(details).filter(([name]) => !names.includes(name));
  const fresh = names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]] as const);
  return Object.fromEntries([...kept, ...fresh]);
}

function changes({ known: before, wasPresent }: CellMemory, after: NormalCell, probe: SeenCell): readonly DriftEvent[] {
  if (before.status === 'absent' && after.status !== 'absent') {
    const version = after.version === null ? '' : `, version ${after.version}`;
    return [
      eventOf(
        probe,
        'appeared',
        `is now ${after.status === 'partial' ? 'partly ' : ''}available${version}`,
        before.status,
        after.status,
      ),
    ];
  }
  if (before.status === after.status) {
    return [
      ...versionChange(before, after, probe),
      ...endpointChange(before, after, probe),
      ...detailsChange(before, after, probe),
    ];
  }
  const [kind, words] = statusChange(after, wasPresent === true || before.status === 'present');
  // If the status changes, the details do too, so only the status becomes an event.
  return [
    eventOf(probe, kind, words, before.status, after.status),
    ...(before.version !== null && after.version !== null ? versionChange(before, after, probe) : []),
    ...(before.endpoint !== null && after.endpoint !== null ? endpointChange(before, after, probe) : []),
  ];
}

/** A protocol that was only ever `partial` cannot recover: it appears when it can be used. */
function statusChange(after: NormalCell, wasPresent: boolean): readonly [DriftKind, string] {
  if (after.status !== 'present') return ['degraded', 'is now only partly available'];
  return wasPresent ? ['recovered', 'is available again'] : ['appeared', 'is now fully available'];
}

function versionChange(before: NormalCell, after: NormalCell, probe: SeenCell): readonly DriftEvent[] {
  if (before.version === after.version) return [];
  const words = after.version === null ? 'no longer has a version' : `now has version ${after.version}`;
  return [eventOf(probe, 'version_changed', words, before.version, after.version)];
}

function endpointChange(before: NormalCell, after: NormalCell, probe: SeenCell): readonly DriftEvent[] {
  if (before.endpoint === after.endpoint) return [];
  const words = after.endpoint === null ? 'no longer has an endpoint' : `now has the endpoint ${after.endpoint}`;
  return [eventOf(probe, 'endpoint_changed', words, before.endpoint, after.endpoint)];
}

function detailsChange(before: NormalCell, after: NormalCell, probe: SeenCell): readonly DriftEvent[] {
  const names = differing(before.details, after.details);
  if (names.length === 0) return [];
  const values = (details: JsonObject): JsonObject =>
    Object.fromEntries(names.map((name) => [name, details[name] ?? null]));
  const words = `changed: ${names.slice(0, 10).join(', ')}`;
  return [eventOf(probe, 'details_changed', words, values(before.details), values(after.details))];
}

/** The names of fields that differ, sorted. */
function differing(a: JsonObject, b: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => canonicalJson(a[name]) !== canonicalJson(b[name]))
    .sort();
}

function eventOf(probe: SeenCell, kind: DriftKind, words: string, before: JsonValue, after: JsonValue): DriftEvent {
  return { at: probe.at, protocol: probe.id, kind, summary: driftSummary(probe.id, words), before, after };
}
