/**
 * Reads each object once: the same answers are read in every wave of a probe and by several detectors. For readers
 * whose result depends on nothing but the object, and objects that do not change; forgotten together with the object.
 */
export function onceEach<Key extends object, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let found = known.get(key);
    if (!found) known.set(key, (found = { value: read(key) }));
    return found.value;
  };
}
