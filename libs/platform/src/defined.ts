type MaybeMissing<Members> = { [Name in keyof Members]: undefined extends Members[Name] ? Name : never }[keyof Members];

/** The type of an object without its undefined properties, as needed for `exactOptionalPropertyTypes` and JSON. */
export type Defined<Members extends object> = {
  [Name in Exclude<keyof Members, MaybeMissing<Members>>]: Members[Name];
} & { [Name in MaybeMissing<Members>]?: Exclude<Members[Name], undefined> };

/** Removes undefined properties and keeps the order. Use it instead of conditional spreads. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<Members>;
}
