import type { OptOuts } from '@app/limits';
import type { HostRepository } from '@app/storage';
import { readFacts, type HostFacts } from '@app/reports';

const SHOWN = 10;
/** Hosts that opted out since they were probed are left out of the list. */
const READ = 20;
const KEPT_MS = 10_000;

/** The hosts probed last, for the start page: read at most every ten seconds, however many open it. */
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
    const latest = (await this.hosts.latest(READ)).map(readFacts);
    return latest.filter(({ domain }) => !this.optOuts.covers(domain)).slice(0, SHOWN);
  }
}
