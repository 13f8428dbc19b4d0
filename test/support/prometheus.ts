import parseText from 'parse-prometheus-text-format';

interface Family {
  readonly name: string;
  readonly metrics: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value?: string }[];
}

/** The output of `/metrics`, parsed by an independent parser. */
export class Scrape {
  private readonly families: readonly Family[];

  /**
   * The parser drops the labels of histograms; without their headers, `_count` and `_sum` are parsed as ordinary
   * series.
   */
  constructor(text: string) {
    const histograms = [...text.matchAll(/^# TYPE (\S+) histogram$/gm)].map(([, name = '']) => name);
    const lines = text.split('\n').filter((line) => !histograms.includes(/^# \w+ (\S+)/.exec(line)?.[1] ?? ''));
    this.families = parseText(lines.join('\n')) as readonly Family[];
  }

  get names(): readonly string[] {
    return [...new Set(this.families.map(({ name }) => name))];
  }

  /** The sum of the series with this name and these labels; undefined if there are none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const series = this.families
      .filter((family) => family.name === name)
      .flatMap(({ metrics }) => metrics)
      .filter((one) => Object.entries(labels).every(([label, value]) => one.labels?.[label] === value));
    return series.length === 0 ? undefined : series.reduce((sum, { value }) => sum + Number(value), 0);
  }
}
