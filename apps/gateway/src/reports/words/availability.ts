import type { History, Incident } from '@app/reports';
import { utc } from './names';

/** Whether the host answered, in sentences. A share never stands without its number of probes and its interval. */
export function availabilityOf({ from, to, up, down, unknown, low, high }: History): string {
  const probes = up + down;
  const ours = unknown === 0 ? '' : ` ${unknown} more ${unknown === 1 ? 'probe' : 'probes'} failed on our side.`;
  if (probes === 0) return `No probe by the clock tells whether it answered from ${from} to ${to}.${ours}`;
  const share = `between ${percent(low, Math.floor)} and ${percent(high, Math.ceil)} of the time (95 % interval)`;
  return `It answered ${up} of ${probes} probes by the clock from ${from} to ${to}: ${share}.${ours}`;
}

/** From when to when the host did not answer, as far as probes tell. */
export function incidentText({ beginsBetween: [lastUp, down], endsBetween, failures }: Incident): string {
  const begin = lastUp === null ? `before ${utc(down)}` : `between ${utc(lastUp)} and ${utc(down)}`;
  const end =
    endsBetween === null
      ? 'and did not answer twice in a row since'
      : `and answered again between ${utc(endsBetween[0] ?? down)} and ${utc(endsBetween[1])}`;
  return `It stopped answering ${begin}, ${end}; ${failures} probes failed.`;
}

function percent(share: number, round: (value: number) => number): string {
  return `${round(Number((share * 1_000).toFixed(6))) / 10} %`;
}
