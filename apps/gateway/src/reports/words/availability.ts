import { utc, type History, type Incident } from '@app/reports';

/** The availability of a host in sentences. An uptime always comes with its number of checks and its confidence interval. */
export function availabilityOf({ from, to, up, down, unknown, low, high }: History): string {
  const probes = up + down;
  const ours = unknown === 0 ? '' : ` ${unknown} more ${unknown === 1 ? 'check' : 'checks'} failed on our side.`;
  if (probes === 0) return `No availability data for ${from} to ${to}.${ours}`;
  const uptime = `${percent(low, Math.floor)} to ${percent(high, Math.ceil)} uptime (95 % confidence interval)`;
  return `Up in ${up} of ${probes} scheduled checks from ${from} to ${to}: ${uptime}.${ours}`;
}

/** When the host was down, as closely as the checks before and after can tell. */
export function incidentText({ beginsBetween: [lastUp, down], endsBetween, failures }: Incident): string {
  const begin = lastUp === null ? `before ${utc(down)}` : `between ${utc(lastUp)} and ${utc(down)}`;
  const end =
    endsBetween === null
      ? 'not back up yet'
      : `back up between ${utc(endsBetween[0] ?? down)} and ${utc(endsBetween[1])}`;
  return `Went down ${begin}, ${end}; ${failures} checks failed.`;
}

function percent(share: number, round: (value: number) => number): string {
  return `${round(Number((share * 1_000).toFixed(6))) / 10} %`;
}
