/** Variables as a process has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A variable that is set; an empty one counts as one that is not. */
export function given(env: Variables, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/** Names that variables had before; the old one is read where the new one is not set. */
const FORMER_NAMES: Readonly<Record<string, string>> = { SCHEDULED_PROBES_PER_MIN: 'SCHEDULED_LOOKS_PER_MIN' };

/** The name under which a process has a variable: its former one when only that is set. */
export function nameInUse(env: Variables, name: string): string {
  const former = FORMER_NAMES[name];
  return former !== undefined && given(env, name) === undefined && given(env, former) !== undefined ? former : name;
}

/** A sentence for each variable that has one value under its name and another under its former one. */
export function formerNameFaults(env: Variables): readonly string[] {
  return Object.entries(FORMER_NAMES)
    .filter(
      ([name, former]) => given(env, former) !== undefined && given(env, former) !== given(env, nameInUse(env, name)),
    )
    .map(([name, former]) => `${name} and its former name ${former} differ; set ${name} only`);
}
