type MaybeMissing<Members> = { [Name in keyof Members]: undefined extends Members[Name] ? Name : never }[keyof Members];

/** The type of an object without its undefined members, as `exactOptionalPropertyTypes` and JSON need it. */
export type Defined<Members extends object> = {
  [Name in Exclude<keyof Members, MaybeMissing<Members>>]: Members[Name];
} & { [Name in MaybeMissing<Members>]?: Exclude<Members[Name], undefined> };

/** The members that are not undefined, in their order: spread it, or hand it on, in place of a spread with a condition. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<Members>;
}
