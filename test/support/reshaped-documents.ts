import fc from 'fast-check';
import { isObject, type JsonValue } from '@app/detectors';
import type { Reply } from './evidence';
import { seeded } from './varying-answers';

/** Other notations of the same document. */
export interface Reshape {
  readonly order: 'kept' | 'sorted' | 'shuffled';
  readonly indent: 0 | 2 | 8;
  readonly seed: number;
}

export const reshapes: fc.Arbitrary<Reshape> = fc.record({
  order: fc.constantFrom('kept', 'sorted', 'shuffled'),
  indent: fc.constantFrom(0, 2, 8),
  seed: fc.nat(3),
});

const known = new WeakMap<Reply, Map<string, Reply>>();

/** The same answer with its JSON in another notation; other bodies are unchanged. Each is converted once. */
export function reshaped(reply: Reply, reshape: Reshape): Reply {
  const written = known.get(reply) ?? new Map<string, Reply>();
  known.set(reply, written);
  const key = Object.values(reshape).join();
  const made = written.get(key) ?? rewritten(reply, reshape);
  written.set(key, made);
  return made;
}

function rewritten(reply: Reply, { order, indent, seed }: Reshape): Reply {
  const value = parsed(reply.body ?? '');
  if (value === undefined) return reply;
  const draw = seeded(seed);
  const arranged = (item: JsonValue): JsonValue => {
    if (Array.isArray(item)) return item.map(arranged);
    if (!isObject(item)) return item;
    const members = Object.entries(item).map(([name, inner]) => [name, arranged(inner ?? null)] as const);
    if (order === 'sorted') members.sort(([a], [b]) => (a < b ? -1 : 1));
    if (order === 'shuffled') members.sort(() => draw() - 0.5);
    return Object.fromEntries(members);
  };
  return { ...reply, body: JSON.stringify(arranged(value), null, indent) };
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
