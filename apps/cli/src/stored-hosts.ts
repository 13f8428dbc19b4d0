import { Database, HostRepository } from '@app/persistence';
import { HostName, type HostFacts } from '@app/reports';
import { rejudge, type RejudgedHost } from './rejudge';

/** Hosts read at a time: evidence of one is some hundred kilobytes. */
const PAGE = 50;

/** Judges every host with stored evidence again, in alphabetical order; reads only. */
export async function* rejudgedHosts(databaseUrl: string): AsyncGenerator<RejudgedHost> {
  const database = new Database(databaseUrl, { maxConnections: 2 });
  try {
    const hosts = new HostRepository(database);
    for (let after = ''; ;) {
      const domains = await hosts.domainsWithEvidence(after, PAGE);
      for (const domain of domains) {
        const rejudged = await rejudgedHost(hosts, domain);
        if (rejudged) yield rejudged;
      }
      const last = domains.at(-1);
      if (last === undefined || domains.length < PAGE) return;
      after = last;
    }
  } finally {
    await database.close();
  }
}

async function rejudgedHost(hosts: HostRepository, domain: string): Promise<RejudgedHost | undefined> {
  const [stored, exchanges] = await Promise.all([hosts.findReport(domain), hosts.findExchanges(domain)]);
  const host = HostName.parse(domain);
  if (!stored || !exchanges || !host.ok) return undefined;
  return rejudge(host.host, JSON.parse(stored.facts) as HostFacts, exchanges);
}
