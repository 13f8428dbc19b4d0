/** Any JSON value: an object, or a list that is already readonly. */
type Open<Value> = string extends keyof Value ? true : Value extends readonly unknown[] ? IsReadonly<Value> : false;
type IsReadonly<List extends readonly unknown[]> = List extends unknown[] ? false : true;

/**
 * The type with every member and list in it readonly, as what a schema of zod describes is passed around. What is typed
 * as any JSON is taken as it is: it has no end. So is a date.
 */
export type DeepReadonly<Value> = Value extends object
  ? Value extends Date
    ? Value
    : Open<Value> extends true
      ? Value
      : { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
  : Value;
