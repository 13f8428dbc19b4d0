import { FIGURES, type Figure } from '@app/census';
import type { CensusDay, CensusDayRepository, FigureRow } from '@app/persistence';
import { LRUCache } from 'lru-cache';

/** Days are counted again at most once a day, in milliseconds; and so many readings are kept, some hundred kilobytes each. */
const KEPT_MS = 60_000;
const MAX_READINGS = 50;
/** Days that adoption is shown over. */
const DAYS = 30;

/** A figure with what was counted, and the words for what its names mean. */
export type CountedFigure = Figure & { readonly rows: readonly FigureRow[] };

/** The figures of censuses as they were counted: the gateway counts nothing. */
export class CensusDays {
  private readonly readings = new LRUCache<string, Promise<readonly CensusDay[]>>({ max: MAX_READINGS, ttl: KEPT_MS });

  constructor(private readonly days: Pick<CensusDayRepository, 'newest'>) {}

  /** Counted days up to one, or to the newest, the newest first. @param day `YYYY-MM-DD`, or null */
  until(day: string | null): Promise<readonly CensusDay[]> {
    const key = day ?? '';
    const known = this.readings.get(key);
    if (known) return known;
    const read = this.days.newest(DAYS, day);
    this.readings.set(key, read);
    read.catch(() => this.readings.delete(key)); // its readers get the error
    return read;
  }
}

/** Every figure of a day, in the order of the page; none that was counted by an earlier release alone. */
export function figuresOf({ figures }: CensusDay): readonly CountedFigure[] {
  return FIGURES.map((figure) => ({ ...figure, rows: figures[figure.id] ?? [] }));
}

/** A share in percent, to one digit; null of nothing. */
export function percent({ hosts, total }: Pick<FigureRow, 'hosts' | 'total'>): number | null {
  return total === 0 ? null : Math.round((hosts / total) * 1_000) / 10;
}
