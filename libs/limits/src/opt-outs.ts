/** How long it takes until every process applies a new entry of the operator's list, in milliseconds. */
const REFRESH_MS = 10_000;

/**
 * The operator's list of hosts that are never probed. It is kept in memory, because every report and every probe checks
 * it. An entry covers the name and its subdomains. An entry that begins with `www.` also covers the name without it,
 * because both are the same host here.
 */
export class OptOuts {
  /** Each name with the time from which this process knows it, ISO 8601. */
  private listed: ReadonlyMap<string, string> = new Map();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    /** Names from the configuration. */
    private readonly configured: readonly string[],
    /** Names from the database. */
    private readonly load: () => Promise<readonly string[]>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /**
   * Reads the list, and reads it again regularly. @throws if the first read fails: making no probes is better than
   * making an unwanted one
   */
  async start(): Promise<void> {
    await this.refresh();
    this.timer = setInterval(() => {
      this.refresh().catch(this.onError);
    }, REFRESH_MS);
    this.timer.unref();
  }

  /** The names as of the last read. */
  names(): readonly string[] {
    return [...this.listed.keys()];
  }

  covers(host: string): boolean {
    return this.since(host) !== undefined;
  }

  /** From when this process knows that a host opted out; undefined when it did not. */
  since(host: string): string | undefined {
    if (this.listed.size === 0) return undefined;
    let since = this.listed.get(`www.${host}`);
    for (let name = host; since === undefined && name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      since = this.listed.get(name);
    }
    return since;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async refresh(): Promise<void> {
    const now = new Date().toISOString();
    const names = [...this.configured, ...(await this.load())];
    this.listed = new Map(names.map((name) => [name, this.listed.get(name) ?? now]));
  }
}
