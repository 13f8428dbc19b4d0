import type { OptOuts } from '@app/limits';
import type { HostRepository } from '@app/storage';
import { readFacts, type HostFacts } from '@app/reports';

const MAX_SHOWN = 10;
/** How many hosts to read. More than are shown, because hosts that opted out since their probe are left out. */
const MAX_READ = 20;
const KEPT_MS = 10_000;

/** The most recently probed hosts, for the start page. They are read at most once every ten seconds. */
export class RecentHosts {
  private kept: { readonly at: number; readonly hosts: Promise<readonly HostFacts[]> } | undefined;

  constructor(
    private readonly hosts: HostRepository,
    private readonly optOuts: OptOuts,
  ) {}

  list(): Promise<readonly HostFacts[]> {
    if (this.kept === undefined || Date.now() - this.kept.at > KEPT_MS) {
      this.kept = { at: Date.now(), hosts: this.read() };
    }
    return this.kept.hosts;
  }

  private async read(): Promise<readonly HostFacts[]> {
    const latest = (await this.hosts.latest(MAX_READ)).map(readFacts);
    return latest.filter(({ domain }) => !this.optOuts.covers(domain)).slice(0, MAX_SHOWN);
  }
}
