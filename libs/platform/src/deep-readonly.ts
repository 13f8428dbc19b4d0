/** Any JSON value: an object with arbitrary keys, or an array that is already readonly. */
type Open<Value> = string extends keyof Value ? true : Value extends readonly unknown[] ? IsReadonly<Value> : false;
type IsReadonly<List extends readonly unknown[]> = List extends unknown[] ? false : true;

/**
 * The type with all nested properties and arrays readonly; used for values described by a zod schema. Arbitrary JSON
 * stays as it is, because it is recursive without end, and so do dates.
 */
export type DeepReadonly<Value> = Value extends object
  ? Value extends Date
    ? Value
    : Open<Value> extends true
      ? Value
      : { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
  : Value;
