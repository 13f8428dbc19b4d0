/**
 * Caches the result for each object, because several detectors read the same answers in every wave. The result must
 * only depend on the object, which must not change. The cache entry is dropped with the object.
 */
export function onceEach<Key extends object, Value>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let found = known.get(key);
    if (!found) known.set(key, (found = { value: read(key) }));
    return found.value;
  };
}
