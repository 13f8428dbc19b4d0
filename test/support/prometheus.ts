import parseText from 'parse-prometheus-text-format';

interface Family {
  readonly name: string;
  readonly metrics: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value?: string }[];
}

/** What `/metrics` said, read by a parser of the format that is not of this project. */
export class Scrape {
  private readonly families: readonly Family[];

  /** The parser folds the labels of histograms away; without their headers their `_count` and `_sum` are series like any. */
  constructor(text: string) {
    const histograms = [...text.matchAll(/^# TYPE (\S+) histogram$/gm)].map(([, name = '']) => name);
    const lines = text.split('\n').filter((line) => !histograms.includes(/^# \w+ (\S+)/.exec(line)?.[1] ?? ''));
    this.families = parseText(lines.join('\n')) as readonly Family[];
  }

  get names(): readonly string[] {
    return [...new Set(this.families.map(({ name }) => name))];
  }

  /** Sum over the series of a name that have these labels; undefined without any. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const series = this.families
      .filter((family) => family.name === name)
      .flatMap(({ metrics }) => metrics)
      .filter((one) => Object.entries(labels).every(([label, value]) => one.labels?.[label] === value));
    return series.length === 0 ? undefined : series.reduce((sum, { value }) => sum + Number(value), 0);
  }
}
