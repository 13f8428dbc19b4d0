import { visible, type JsonObject, type JsonValue, type ProbePhase } from '@app/detectors';
import type { DriftEvent, DriftKind } from './drift-event';
import { canonicalJson, type NormalCell } from './normal-cell';

/** What is remembered of one protocol of one host. Plain JSON. */
export interface CellMemory {
  readonly id: string;
  /** What events have told so far. */
  readonly known: NormalCell;
  /**
   * The last look of each phase. A presence look sees less than one that also exercises, so each is compared with its
   * like: a paid route nobody called this time has not vanished.
   */
  readonly seen: Partial<Readonly<Record<ProbePhase, NormalCell>>>;
  /** Time of a look that found nothing where something was known; the next one like it makes `vanished`. */
  readonly missedAt?: string;
}

export interface CellLook {
  readonly id: string;
  readonly cell: NormalCell;
  readonly phase: ProbePhase;
  readonly at: string;
}

export interface CellDrift {
  readonly memory: CellMemory;
  readonly events: readonly DriftEvent[];
}

/** Compares one cell with what is remembered. The first look of a phase is a baseline and makes no events. */
export function cellDrift(memory: CellMemory | undefined, look: CellLook): CellDrift {
  const { cell, phase } = look;
  if (memory === undefined) return { memory: { id: look.id, known: cell, seen: { [phase]: cell } }, events: [] };
  const previous = memory.seen[phase] ?? substitute(memory, look);
  if (previous === undefined) {
    const known = phase === 'callability' ? cell : memory.known;
    return { memory: remembered(memory, look, known, memory.seen), events: [] };
  }
  if (cell.status === 'absent' && previous.status !== 'absent' && memory.known.status !== 'absent') {
    return missed(memory, look);
  }
  return compared(memory, previous, look);
}

/** A look that also exercises asks everything a presence look asks: when it finds nothing, there is nothing. */
function substitute(memory: CellMemory, { cell, phase }: CellLook): NormalCell | undefined {
  return phase === 'callability' && cell.status === 'absent' ? memory.known : undefined;
}

/** Contract 4: `vanished` needs two looks in a row. The same look recorded twice is still one. */
function missed(memory: CellMemory, look: CellLook): CellDrift {
  if (memory.missedAt === undefined) return { memory: { ...memory, missedAt: look.at }, events: [] };
  if (look.at <= memory.missedAt) return { memory, events: [] };
  const event = eventOf(look, 'vanished', 'vanished: two looks in a row found nothing', memory.known.status, 'absent');
  return {
    memory: { id: memory.id, known: look.cell, seen: { presence: look.cell, callability: look.cell } },
    events: [event],
  };
}

/** An event is due where this look differs from the last one of its phase and from what events have told already. */
function compared(memory: CellMemory, previous: NormalCell, look: CellLook): CellDrift {
  const { cell } = look;
  const known: NormalCell = {
    status: previous.status === cell.status ? memory.known.status : cell.status,
    version: previous.version === cell.version ? memory.known.version : cell.version,
    endpoint: previous.endpoint === cell.endpoint ? memory.known.endpoint : cell.endpoint,
    details: learned(memory.known.details, previous.details, cell.details),
  };
  return {
    memory: remembered(memory, look, known, followed(memory, known, look)),
    events: cell.status === 'absent' ? [] : changes(memory.known, known, look),
  };
}

/** A look that found something ends the waiting for a second miss. */
function remembered(
  { id, missedAt }: CellMemory,
  { cell, phase }: CellLook,
  known: NormalCell,
  seen: CellMemory['seen'],
): CellMemory {
  const pending = cell.status === 'absent' && missedAt !== undefined ? { missedAt } : {};
  return { id, known, seen: { ...seen, [phase]: cell }, ...pending };
}

/**
 * What a presence look has told counts as seen by the deeper looks too, where they knew no better: otherwise they
 * would take the way back for no change. Never the other way round, since a presence look sees less.
 */
function followed(memory: CellMemory, known: NormalCell, { phase }: CellLook): CellMemory['seen'] {
  const { callability } = memory.seen;
  if (phase !== 'presence' || callability === undefined) return memory.seen;
  const before = memory.known;
  const moved = differing(before.details, known.details).filter(
    (name) => canonicalJson(before.details[name]) === canonicalJson(callability.details[name]),
  );
  return {
    ...memory.seen,
    callability: {
      status: callability.status === before.status ? known.status : callability.status,
      version: callability.version === before.version ? known.version : callability.version,
      endpoint: callability.endpoint === before.endpoint ? known.endpoint : callability.endpoint,
      details: replaced(callability.details, moved, known.details),
    },
  };
}

/** The known members, with those replaced (or dropped) that this look shows differently from the one before. */
function learned(known: JsonObject, previous: JsonObject, now: JsonObject): JsonObject {
  return replaced(known, differing(previous, now), now);
}

/** `details` with the members `names` as they are in `source`, or without them where it has none. */
function replaced(details: JsonObject, names: readonly string[], source: JsonObject): JsonObject {
  const kept = Object.entries(details).filter(([name]) => !names.includes(name));
  const fresh = names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]] as const);
  return Object.fromEntries([...kept, ...fresh]);
}

function changes(before: NormalCell, after: NormalCell, look: CellLook): readonly DriftEvent[] {
  if (before.status === 'absent' && after.status !== 'absent') {
    const version = after.version === null ? '' : `, version ${after.version}`;
    return [eventOf(look, 'appeared', `appeared: ${after.status}${version}`, before.status, after.status)];
  }
  if (before.status === after.status) {
    return [
      ...versionChange(before, after, look),
      ...endpointChange(before, after, look),
      ...detailsChange(before, after, look),
    ];
  }
  const [kind, words]: [DriftKind, string] =
    after.status === 'present' ? ['recovered', 'recovered: present again'] : ['degraded', 'degraded: only partial now'];
  // A document that became better or worse differs in its details anyway; what matters is said by the status.
  return [
    eventOf(look, kind, words, before.status, after.status),
    ...(before.version !== null && after.version !== null ? versionChange(before, after, look) : []),
    ...(before.endpoint !== null && after.endpoint !== null ? endpointChange(before, after, look) : []),
  ];
}

function versionChange(before: NormalCell, after: NormalCell, look: CellLook): readonly DriftEvent[] {
  if (before.version === after.version) return [];
  const words = after.version === null ? 'no longer states a version' : `now states version ${after.version}`;
  return [eventOf(look, 'version_changed', words, before.version, after.version)];
}

function endpointChange(before: NormalCell, after: NormalCell, look: CellLook): readonly DriftEvent[] {
  if (before.endpoint === after.endpoint) return [];
  const words = after.endpoint === null ? 'no longer names an endpoint' : `now names the endpoint ${after.endpoint}`;
  return [eventOf(look, 'endpoint_changed', words, before.endpoint, after.endpoint)];
}

function detailsChange(before: NormalCell, after: NormalCell, look: CellLook): readonly DriftEvent[] {
  const names = differing(before.details, after.details);
  if (names.length === 0) return [];
  const values = (details: JsonObject): JsonObject =>
    Object.fromEntries(names.map((name) => [name, details[name] ?? null]));
  const words = `changed in ${names.slice(0, 10).join(', ')}`;
  return [eventOf(look, 'details_changed', words, values(before.details), values(after.details))];
}

/** Names of the members that are not the same in both, sorted. */
function differing(a: JsonObject, b: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => canonicalJson(a[name]) !== canonicalJson(b[name]))
    .sort();
}

function eventOf(look: CellLook, kind: DriftKind, words: string, before: JsonValue, after: JsonValue): DriftEvent {
  return { at: look.at, protocol: look.id, kind, summary: `${visible(`${look.id} ${words}`, 300)}.`, before, after };
}
