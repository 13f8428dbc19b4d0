import { readJson, RULES } from '@app/detectors';
import {
  compareRails,
  compareReport,
  compareStatement,
  judgeBundle,
  readBundle,
  type ComparedCell,
  type ReadBundle,
} from '@app/evidence';
import { readFacts, type HostFacts } from '@app/reports';
import type { StatementMembers } from '@app/signing';
import type { VerifyFiles } from './terminal/command';
import { CommandError, EXIT, type ExitCode } from './terminal/exit-codes';
import { jsonText, oneLine, type Paint } from './terminal/paint';
import type { Terminal } from './terminal/terminal';
import { compareStatedRails, contentOf, statementIn, trustedKeys } from './verify-statement';

const MARKS = {
  same: ['good', 'same'],
  differs: ['bad', 'differs'],
  not_rejudged: ['middling', 'not rejudged'],
} as const;

/** What a bundle is held against. */
interface Stated {
  readonly statement: StatementMembers | undefined;
  readonly report: HostFacts | undefined;
}

/**
 * Checks a bundle offline: root, bodies and the statement's signature, then what the detectors of this release make of it.
 * @throws {CommandError} `broken` when something is not what it says, `usage` when a file cannot be read
 */
export async function verify(files: VerifyFiles, terminal: Terminal): Promise<ExitCode> {
  const { BundleError, verifyEvidence } = await import('../../../packages/guard/src/index.js');
  const statement = await statementOf(files);
  try {
    const bundle = await readBundle(contentOf(files.bundle), files.root ?? undefined);
    const report = files.report === null ? undefined : contentOf(files.report);
    if (statement) await verifyEvidence(bundle, statement, report);
    return compared(files, bundle, { statement, report: report && factsIn(report.toString('utf8')) }, terminal);
  } catch (error) {
    throw error instanceof BundleError ? new CommandError(EXIT.broken, error.message) : error;
  }
}

function compared(
  files: VerifyFiles,
  bundle: ReadBundle,
  stated: Stated,
  { paint, say, complain }: Terminal,
): ExitCode {
  const { statement } = stated;
  const cells = comparedWith(bundle, stated);
  const signed = statement ? { by: statement.iss, observed: statement.observed } : null;
  say(files.json ? jsonText({ ...summaryOf(bundle), signed, cells }) : page(bundle, stated, cells, paint));
  if (files.root === null && !statement) {
    complain('the root was not compared with anything: give --statement, or the expected --root\n');
  }
  if (!cells.some(({ result }) => result === 'differs')) return EXIT.done;
  const rules = stated.report?.rules?.version ?? statement?.detectors ?? bundle.head.rules;
  if (rules === RULES.version) return EXIT.differs;
  complain(`the bundle was judged by rules ${oneLine(rules)}, not by the rules of this release\n`);
  return EXIT.done;
}

async function statementOf({ statement, keys }: VerifyFiles): Promise<StatementMembers | undefined> {
  if (statement === null || keys === null) return undefined;
  return statementIn(contentOf(statement).toString('utf8').trim(), await trustedKeys(keys));
}

function comparedWith(bundle: ReadBundle, { statement, report }: Stated): readonly ComparedCell[] {
  if (!statement && !report) return [];
  const judged = judgeBundle(bundle);
  const said = compareStatement(bundle, judged.cells, statement?.cells ?? {});
  if (!report) return statement ? [...said, ...compareStatedRails(bundle, judged.rails, statement)] : said;
  const reported = compareReport(bundle, judged.cells, report.protocols);
  // The report says more of a cell than the statement; what the two say must be the same.
  const other = said.filter(({ id, stated }) => reported.find((cell) => cell.id === id)?.stated !== stated);
  return [
    ...reported.filter(({ id }) => !other.some((cell) => cell.id === id)),
    ...other.map((cell) => ({ ...cell, result: 'differs' as const })),
    ...compareRails(bundle, judged.rails, report),
  ];
}

function factsIn(report: string): HostFacts {
  try {
    // A report that is nested too deep to be read is rejected, too.
    if (readJson(report).ok) return readFacts(report);
  } catch {
    // of another shape
  }
  throw new CommandError(EXIT.usage, '--report is not a host report');
}

/** What a bundle contains, and what is missing. */
function summaryOf({ root, head, bodies, lines }: ReadBundle) {
  const withheld = [...bodies.values()].flatMap((body) => ('withheld' in body ? [body.withheld] : []));
  const named = new Set(lines.flatMap((line) => (line.kind === 'answer' ? [line.kept?.sha256 ?? line.sha256] : [])));
  const { domain, rules, from, to } = head;
  return { domain, root, rules, from, to, bodies: named.size, withheld, missing: named.size - bodies.size };
}

function page(bundle: ReadBundle, { statement }: Stated, compared: readonly ComparedCell[], paint: Paint): string {
  const { domain, root, bodies, withheld, missing, to } = summaryOf(bundle);
  const removed = `${withheld.length} withheld, ${missing} missing`;
  const rows = compared.map(({ id, result, stated, judged, because }) => {
    const [tone, word] = MARKS[result];
    const what =
      result === 'differs'
        ? `stated ${stated}, judged ${judged}`
        : `${stated}${because === undefined ? '' : `  (${because})`}`;
    return `${oneLine(id).padEnd(13)} ${paint(tone, word.padEnd(12))}  ${oneLine(what)}`;
  });
  const head = [
    `${paint('strong', oneLine(domain))}  probed until ${oneLine(to)}`,
    `root ${root}  ${bodies} bodies, ${removed}`,
    ...(statement ? [`signed by ${oneLine(statement.iss)}`] : []),
  ];
  return `${[...head, ...rows].join('\n')}\n`;
}
