/** How long it takes until every process applies a new entry of the operator's list, in milliseconds. */
const REFRESH_MS = 10_000;

/**
 * The operator's list of hosts that are never probed, in memory: it is read with every report and every probe. An entry
 * covers the name and everything below it; one that begins with `www.` covers the name without, since the two are one
 * host here.
 */
export class OptOuts {
  private listed: ReadonlySet<string> = new Set();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    /** Names from the configuration. */
    private readonly configured: readonly string[],
    /** Names from the database. */
    private readonly load: () => Promise<readonly string[]>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Reads the list and keeps reading it. @throws when it cannot be read the first time: better no probe than an unwanted one */
  async start(): Promise<void> {
    await this.refresh();
    this.timer = setInterval(() => {
      this.refresh().catch(this.onError);
    }, REFRESH_MS);
    this.timer.unref();
  }

  /** The names as they were read last. */
  names(): readonly string[] {
    return [...this.listed];
  }

  covers(host: string): boolean {
    if (this.listed.size === 0) return false;
    if (this.listed.has(`www.${host}`)) return true;
    for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (this.listed.has(name)) return true;
    }
    return false;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async refresh(): Promise<void> {
    this.listed = new Set([...this.configured, ...(await this.load())]);
  }
}
