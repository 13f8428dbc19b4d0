/** A backend that is away fails many times a second, each time with the same words. */
const EVERY_MS = 10_000;

/** Reports, `leftOut` being how often the same was not reported since the last time. */
type Report = (error: Error, leftOut: number) => void;

/**
 * Reports errors with the same message once per `everyMs`, so that the log stays readable while something is away.
 * @param now milliseconds of any clock that only moves forward
 */
export function sparing(report: Report, everyMs = EVERY_MS, now = () => performance.now()): (error: Error) => void {
  const told = new Map<string, { readonly at: number; leftOut: number }>();
  return (error) => {
    const last = told.get(error.message);
    if (last && now() - last.at < everyMs) {
      last.leftOut += 1;
      return;
    }
    if (told.size >= MOST_MESSAGES) told.clear();
    told.set(error.message, { at: now(), leftOut: 0 });
    report(error, last?.leftOut ?? 0);
  };
}

/** Messages may name ports and ids; beyond this many different ones everything is told again. */
const MOST_MESSAGES = 100;
