import { existsSync } from 'node:fs';
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
import { HostName } from '@app/hosts';
import { readFacts, type HostFacts } from '@app/reports';
import type { StatementMembers } from '@app/signing';
import { fetchEvidence, type VerifyInput } from './fetch-evidence';
import type { Command, VerifyFiles } from './terminal/command';
import { CommandError, EXIT, type ExitCode } from './terminal/exit-codes';
import { jsonText, oneLine, type Paint } from './terminal/paint';
import type { Terminal } from './terminal/terminal';
import { compareStatedRails, contentOf, statementIn, trustedKeys } from './verify-statement';

const MARKS = {
  same: ['good', 'same'],
  differs: ['bad', 'differs'],
  not_rejudged: ['middling', 'not rejudged'],
} as const;

/** The statement and the report to compare a bundle with. */
interface Stated {
  readonly statement: StatementMembers | undefined;
  readonly report: HostFacts | undefined;
}

type Verify = Extract<Command, { readonly kind: 'verify' }>;

/**
 * Verifies a bundle: its root, its bodies and the signature of the statement. Then runs the detectors of this
 * release on it.
 * @throws {CommandError} `broken` if something is not authentic, `usage` if a file cannot be read,
 *   `serviceUnavailable` if the service has no valid statement
 */
export async function verify(command: Verify, terminal: Terminal): Promise<ExitCode> {
  const { BundleError, verifyEvidence } = await import('../../../packages/guard/src/index.js');
  const { statement, root, ...files } =
    'host' in command ? await fetchEvidence(command, terminal) : await savedEvidence(command);
  try {
    const bundle = await readBundle(files.bundle, root);
    if (statement) await verifyEvidence(bundle, statement, files.report);
    const report = files.report && factsIn(files.report.toString('utf8'));
    const code = compared(command.json, bundle, { statement, report }, terminal);
    if (root === undefined && !statement) {
      terminal.complain('the root was not compared with anything: give --statement, or the expected --root\n');
    }
    return code;
  } catch (error) {
    throw error instanceof BundleError ? new CommandError(EXIT.broken, error.message) : error;
  }
}

function compared(json: boolean, bundle: ReadBundle, stated: Stated, { paint, say, complain }: Terminal): ExitCode {
  const { statement } = stated;
  const cells = comparedWith(bundle, stated);
  const signed = statement ? { by: statement.iss, observed: statement.observed } : null;
  say(json ? jsonText({ ...summaryOf(bundle), signed, cells }) : page(bundle, stated, cells, paint));
  if (!cells.some(({ result }) => result === 'differs')) return EXIT.done;
  const rules = stated.report?.rules?.version ?? statement?.detectors ?? bundle.head.rules;
  if (rules === RULES.version) return EXIT.differs;
  complain(`the bundle was judged by rules ${oneLine(rules)}, not by the rules of this release\n`);
  return EXIT.done;
}

async function savedEvidence({ bundle, root, statement, keys, report }: VerifyFiles): Promise<VerifyInput> {
  if (!existsSync(bundle) && HostName.parse(bundle).ok) {
    throw new CommandError(EXIT.usage, `there is no file ${bundle}; to verify the report of a host, add --url`);
  }
  const token = statement === null ? undefined : contentOf(statement).toString('utf8').trim();
  return {
    statement: token === undefined || keys === null ? undefined : await statementIn(token, await trustedKeys(keys)),
    bundle: contentOf(bundle),
    root: root ?? undefined,
    report: report === null ? undefined : contentOf(report),
  };
}

function comparedWith(bundle: ReadBundle, { statement, report }: Stated): readonly ComparedCell[] {
  if (!statement && !report) return [];
  const judged = judgeBundle(bundle);
  const said = compareStatement(bundle, judged.cells, statement?.cells ?? {});
  if (!report) return statement ? [...said, ...compareStatedRails(bundle, judged.rails, statement)] : said;
  const reported = compareReport(bundle, judged.cells, report.protocols);
  // The report has more details than the statement, but the two must not contradict each other.
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

/** The content of a bundle, including missing bodies. */
function summaryOf({ root, head, bodies, lines }: ReadBundle) {
  const withheld = [...bodies.values()].flatMap((body) => ('withheld' in body ? [body.withheld] : []));
  const named = new Set(lines.flatMap((line) => (line.kind === 'answer' ? [line.kept?.sha256 ?? line.sha256] : [])));
  const { domain, rules, from, to } = head;
  return { domain, root, rules, from, to, bodies: named.size, withheld, missing: named.size - bodies.size };
}

function page(bundle: ReadBundle, stated: Stated, compared: readonly ComparedCell[], paint: Paint): string {
  const rows = compared.map(({ id, result, stated, judged, because }) => {
    const [tone, word] = MARKS[result];
    const what =
      result === 'differs'
        ? `stated ${stated}, judged ${judged}`
        : `${stated}${because === undefined ? '' : `  (${because})`}`;
    return `${oneLine(id).padEnd(13)} ${paint(tone, word.padEnd(12))}  ${oneLine(what)}`;
  });
  const { domain, to } = bundle.head;
  const title = `${paint('strong', oneLine(domain))}  probed on ${inWords(Date.parse(to))}`;
  const steps = stepsOf(bundle, stated).map((step) => `${paint('good', '✓')} ${step}`);
  return `${[title, ...steps, ...(rows.length > 0 ? [verdictOn(compared, paint), '', ...rows] : [])].join('\n')}\n`;
}

/** The verification steps, one line each. */
function stepsOf(bundle: ReadBundle, { statement, report }: Stated): readonly string[] {
  const { root, bodies, withheld, missing } = summaryOf(bundle);
  return [
    ...(statement ? [signature(statement)] : []),
    `all lines and bodies match the root ${root}: ${bodies} bodies, ${withheld.length} withheld, ${missing} missing`,
    ...(statement && report ? ['the report is the one that the statement names'] : []),
  ];
}

function signature({ iss, exp }: StatementMembers): string {
  const ends = exp * 1_000;
  return `signed by ${oneLine(iss)}, ${ends < Date.now() ? 'expired on' : 'valid until'} ${inWords(ends)}`;
}

function verdictOn(compared: readonly ComparedCell[], paint: Paint): string {
  const [same, differs] = (['same', 'differs'] as const).map(
    (result) => compared.filter((cell) => cell.result === result).length,
  );
  const mark = differs === 0 ? paint('good', '✓') : paint('bad', '✗');
  return `${mark} ${same} of ${compared.length} results reproduced by the detectors of this release`;
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** `28 November 2026 at 14:20 UTC`. */
function inWords(at: number): string {
  return Number.isNaN(at) ? 'an unknown day' : `${DAY.format(at)} UTC`;
}
