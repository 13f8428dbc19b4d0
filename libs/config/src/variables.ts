/** Environment variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty one counts as unset. */
export function given(env: Variables, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}
