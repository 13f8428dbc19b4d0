/** Variables as a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A variable that is set; an empty one counts as one that is not. */
export function given(env: Variables, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}
