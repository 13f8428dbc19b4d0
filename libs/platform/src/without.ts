/** A copy of an object without one property. */
export function without<T extends object, Name extends keyof T & string>(value: T, name: Name): Omit<T, Name> {
  return Object.fromEntries(Object.entries(value).filter(([member]) => member !== name)) as Omit<T, Name>;
}
