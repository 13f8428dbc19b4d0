import { isWhole } from '@app/detectors';
import { EvidenceRepository, HostRepository, type Database, type StoredHost } from '@app/storage';
import { HostName } from '@app/hosts';
import { readFacts, renderFacts, rulesDrift } from '@app/reports';
import type { OperatorCommand } from '../terminal/command';
import type { Terminal } from '../terminal/terminal';
import { jsonText, oneLine, type Paint } from '../terminal/paint';
import { differs, rejudge, type RejudgedHost, type RejudgedReport } from './rejudge';

/** The number of hosts read at once; the evidence of one host takes a few hundred kilobytes. */
const PAGE = 50;

/** The stored reports and their evidence. */
interface Stored {
  readonly hosts: HostRepository;
  readonly evidence: EvidenceRepository;
}

/** A host whose report would change, and how to write it. */
interface StaleHost extends RejudgedReport {
  readonly stored: StoredHost;
  readonly name: HostName;
}

/** Re-runs the detectors on the stored evidence of all hosts and prints the changes. With `apply`, saves them. */
export async function rejudgeCommand(
  database: Database,
  { json, apply }: Extract<OperatorCommand, { kind: 'rejudge' }>,
  { paint, say }: Terminal,
): Promise<void> {
  const stored = { hosts: new HostRepository(database), evidence: new EvidenceRepository(database) };
  const changed: RejudgedHost[] = [];
  const count = { all: 0, written: 0 };
  for await (const rejudged of rejudgedHosts(stored)) {
    count.all += 1;
    const { host } = rejudged;
    if (!differs(host)) continue;
    changed.push(host);
    if (apply && (await write(stored, rejudged))) count.written += 1;
    if (!json) say(`${rejudgeLines(host, paint).join('\n')}\n`);
  }
  const end = apply ? `written: ${count.written}` : 'nothing was written';
  say(
    json
      ? jsonText({ hosts: count.all, changed, written: count.written })
      : `re-judged: ${count.all}, ${apply ? 'changed' : 'would change'}: ${changed.length}; ${end}\n`,
  );
}

/** Saves the new results; false if a probe has updated the host meanwhile, because it used the new rules anyway. */
function write({ hosts }: Stored, { stored, name, facts, drift }: StaleHost): Promise<boolean> {
  const { events, memory } = rulesDrift(stored.driftMemory, drift);
  return hosts.saveRejudged({
    domain: name.ascii,
    site: name.site,
    baseVersion: stored.version,
    facts: renderFacts(facts),
    clocks: stored.clocks,
    reachable: facts.reachable ?? null,
    payable: facts.paymentRails.payable,
    rails: facts.paymentRails.rails,
    driftMemory: memory,
    events,
    statementId: rejudgedId(stored.stated?.id, facts.rules?.version),
  });
}

/** A statement under newer rules keeps the times of its probe, but has a new id. */
function rejudgedId(stored: string | undefined, rules: string | undefined): string | null {
  return stored === undefined || rules === undefined ? null : `${stored.split('.', 1)[0]}.${rules}`;
}

/** Every host with stored evidence, in alphabetical order. */
async function* rejudgedHosts(from: Stored): AsyncGenerator<StaleHost> {
  for (let after = ''; ;) {
    const domains = await from.evidence.domains(after, PAGE);
    for (const domain of domains) {
      const rejudged = await rejudgedHost(from, domain);
      if (rejudged) yield rejudged;
    }
    const last = domains.at(-1);
    if (last === undefined || domains.length < PAGE) return;
    after = last;
  }
}

async function rejudgedHost({ hosts, evidence }: Stored, domain: string): Promise<StaleHost | undefined> {
  const [stored, exchanges] = await Promise.all([hosts.find(domain), evidence.findExchanges(domain)]);
  const name = HostName.parse(domain);
  // Evidence that was truncated for storage would get a worse result than the probe did.
  if (!stored || !exchanges?.every(isWhole) || !name.ok) return undefined;
  return { stored, name: name.host, ...rejudge(name.host, readFacts(stored.facts), exchanges, new Date()) };
}

/** The lines that describe the changes at one host. */
function rejudgeLines(
  { domain, changes, newFixes, droppedFixes, payable }: RejudgedHost,
  paint: Paint,
): readonly string[] {
  return [
    paint('strong', domain),
    ...changes.map(({ protocol, before, after, details }) => {
      const status = before === after ? before : `${before} -> ${paint('middling', after)}`;
      return `  ${protocol.padEnd(10)} ${status}${details.length === 0 ? '' : `  (${oneLine(details.join(', '))})`}`;
    }),
    ...(payable ? [`  payable    ${String(payable[0])} -> ${paint('middling', String(payable[1]))}`] : []),
    ...newFixes.map((id) => `  ${paint('good', '+')} fix ${id}`),
    ...droppedFixes.map((id) => `  ${paint('bad', '-')} fix ${id}`),
  ];
}
