import type { OptOuts } from '@app/limits';
import type { HostRepository } from '@app/persistence';
import type { HostFacts } from '@app/reports';

const SHOWN = 10;
/** Hosts that opted out since they were looked at are left out of the list. */
const READ = 20;
const KEPT_MS = 10_000;

/** The hosts looked at last, for the start page: read at most every ten seconds, however many open it. */
export class RecentHosts {
  private kept: { readonly at: number; readonly hosts: Promise<readonly HostFacts[]> } | undefined;

  constructor(
    private readonly parts: {
      readonly hosts: Pick<HostRepository, 'latest'>;
      readonly optOuts: Pick<OptOuts, 'covers'>;
    },
  ) {}

  list(): Promise<readonly HostFacts[]> {
    if (this.kept === undefined || Date.now() - this.kept.at > KEPT_MS) {
      this.kept = { at: Date.now(), hosts: this.read() };
    }
    return this.kept.hosts;
  }

  private async read(): Promise<readonly HostFacts[]> {
    const { hosts, optOuts } = this.parts;
    const latest = (await hosts.latest(READ)).map((text) => JSON.parse(text) as HostFacts);
    return latest.filter(({ domain }) => !optOuts.covers(domain)).slice(0, SHOWN);
  }
}
