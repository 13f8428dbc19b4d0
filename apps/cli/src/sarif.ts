import { list, member, parseUrl, text, type CellStatus, type Fix, type ProtocolCell } from '@app/detectors';
import type { HostFacts } from '@app/reports';
import type { Gate } from './terminal/gate';
import { harmless, oneLine } from './terminal/paint';

/** The published schema (https://docs.oasis-open.org/sarif/sarif/v2.1.0/). */
const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

type Level = 'error' | 'warning' | 'note';

/**
 * A report as SARIF 2.1.0 for code scanning: one result per fix, located at the missing or faulty document. The
 * location is a path relative to the host's root, because code scanning accepts no URLs. A protocol that could not
 * be checked is a notification, not a result, because nothing is known to be wrong.
 */
export function sarifOf(facts: HostFacts, gate: Gate, version: string): object {
  const unseen = facts.protocols.filter(({ status }) => status === 'error');
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'hostprobe', semanticVersion: version, rules: facts.fixes.map(ruleOf) } },
        automationDetails: { id: `hostprobe/${oneLine(facts.domain)}` },
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: unseen.map(notificationOf) }],
        results: facts.fixes.map((fix, ruleIndex) => resultOf(fix, ruleIndex, facts, gate)),
      },
    ],
  };
}

function ruleOf({ id, problem, fix, spec }: Fix): object {
  return {
    id: oneLine(id),
    shortDescription: { text: oneLine(problem) },
    help: { text: harmless(fix) },
    ...(parseUrl(spec)?.protocol === 'https:' ? { helpUri: oneLine(spec) } : {}),
  };
}

function resultOf({ id, protocol, problem, fix }: Fix, ruleIndex: number, facts: HostFacts, gate: Gate): object {
  const cell = facts.protocols.find((known) => known.id === protocol);
  return {
    ruleId: oneLine(id),
    ruleIndex,
    level: levelOf(cell?.status, gate.includes(protocol)),
    message: { text: `${oneLine(facts.origin)}: ${oneLine(problem)}\n${harmless(fix)}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: documentOf(cell) }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: `${oneLine(facts.origin)}#${oneLine(protocol)}`, kind: 'module' }],
      },
    ],
    partialFingerprints: { 'hostFix/v1': `${oneLine(facts.domain)}:${oneLine(id)}` },
  };
}

/** Gated protocols are errors, faulty ones warnings, and the rest notes. */
function levelOf(status: CellStatus | undefined, demanded: boolean): Level {
  if (demanded) return 'error';
  return status === 'partial' ? 'warning' : 'note';
}

/** Path of the document that decided about a protocol, relative to the host's root. */
function documentOf(cell: ProtocolCell | undefined): string {
  const urls = (list(cell?.details['evidence'] ?? null) ?? []).map((item) => text(member(item, 'url')));
  const path = urls.map((url) => (url === undefined ? undefined : parseUrl(url)?.pathname.slice(1))).find(Boolean);
  return path ?? 'index.html';
}

function notificationOf({ id, details }: ProtocolCell): object {
  const reason = oneLine(text(details['reason']) ?? 'unknown');
  return { level: 'warning', message: { text: `${oneLine(id)} could not be checked: ${reason}` } };
}
