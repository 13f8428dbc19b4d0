import { codeWords, list, member, text, type CellStatus, type Fix, type ProtocolCell } from '@app/detectors';
import {
  adviceOf,
  causeOf,
  evidenceOf,
  failedChecks,
  failureWords,
  isPayable,
  isProbed,
  isReason,
  railFacts,
  remarkOn,
  Skipped,
  skippedText,
  STATUS_WORDS,
  summaryOf,
  usdOfRail,
  utc,
  type Cause,
  type Evidence,
  type HostFacts,
  type PaymentRail,
  type Reason,
} from '@app/reports';
import { harmless, oneLine, type Paint, type Tone } from './terminal/paint';

const TONES: Readonly<Record<CellStatus, Tone>> = {
  present: 'good',
  partial: 'middling',
  absent: 'quiet',
  undiscoverable: 'quiet',
  error: 'bad',
};

/** A report from this machine or from a service. A report from a service may say why a probe was skipped. */
type PrintedReport = HostFacts & { readonly skipped?: unknown };

/**
 * A report as text for the terminal: the verdict, then one line for each protocol, payment option and fix.
 * @param detailed adds the evidence and the findings, and shows the fixes in full
 */
export function reportPage(facts: PrintedReport, paint: Paint, detailed: boolean): string {
  const statuses = facts.protocols.flatMap((cell) => [
    statusLine(cell, facts.fixes, paint),
    ...(detailed ? detailLines(cell, paint) : []),
  ]);
  const isNeverProbed = facts.protocols.length === 0;
  return [
    ...heading(facts, paint),
    ...(isNeverProbed || (causeOf(facts) && !detailed) ? [] : ['', ...statuses]),
    ...railLines(facts, paint, detailed),
    ...fixLines(facts, paint, detailed),
    ...(isNeverProbed || detailed
      ? []
      : ['', paint('quiet', 'For the evidence and the fixes in full, add --verbose.')]),
  ]
    .join('\n')
    .concat('\n');
}

/** The reason why a host could not be checked, if it is the same for every protocol. */
export function commonReason({ protocols }: HostFacts): Reason | undefined {
  const checked = protocols.filter(({ status }) => status !== 'undiscoverable');
  const reasons = new Set(checked.map(({ status, details }) => (status === 'error' ? text(details['reason']) : '')));
  const [reason = ''] = reasons;
  return reasons.size === 1 && isReason(reason) ? reason : undefined;
}

/** The cause as a sentence, with the fault of a certificate. */
export function causeIn({ protocols }: HostFacts, reason: Reason): string {
  const evidence = protocols.flatMap((cell) => list(cell.details['evidence']) ?? []);
  const failed = evidence.find((one) => member(one, 'failure') === reason);
  return failureWords(reason, text(member(failed, 'failureDetail')));
}

/** The verdict, in the same words as on the page and in Markdown. */
function heading(facts: PrintedReport, paint: Paint): readonly string[] {
  const { domain, origin, probedAt } = facts;
  const { data: skipped } = Skipped.safeParse(facts.skipped); // undefined for a reason that a later version added
  const { tone, headline, more } = summaryOf({ ...facts, skipped });
  const checked = probedAt === undefined ? [] : [`Checked ${utc(probedAt)}.`];
  return [
    `${paint('strong', oneLine(domain))}  ${oneLine(origin)}`,
    paint(tone, oneLine(headline)),
    ...(more === '' ? [] : [[oneLine(more), ...checked].join(' ')]),
    ...remedyLines(causeOf(facts)),
    ...(isProbed(facts) && skipped ? [oneLine(Object.values(skippedText(skipped)).join(' '))] : []),
  ];
}

function remedyLines(cause: Cause | undefined): readonly string[] {
  return cause ? [cause.remedy, ...(cause.rule === undefined ? [] : [harmless(cause.rule)])] : [];
}

function statusLine(cell: ProtocolCell, fixes: readonly Fix[], paint: Paint): string {
  const { id, status, version, details } = cell;
  const said = ['name', 'endpoint', 'description'].map((name) => text(details[name]));
  const remark = remarkOn(cell, fixes) ?? said.find((value) => value !== undefined);
  const stated = oneLine(version ?? '').padEnd(11);
  const line = `${oneLine(id).padEnd(10)} ${paint(TONES[status], STATUS_WORDS[status].padEnd(14))} ${stated} ${oneLine(remark ?? '')}`;
  return line.trimEnd();
}

function detailLines(cell: ProtocolCell, paint: Paint): readonly string[] {
  const findings = (list(cell.details['findings']) ?? []).map((finding) =>
    oneLine(`! ${codeWords(text(member(finding, 'id')) ?? '')} ${text(member(finding, 'at')) ?? ''}`),
  );
  const evidence = evidenceOf(cell).map(evidenceLine);
  return [
    ...findings.map((line) => `           ${paint('middling', line)}`),
    ...evidence.map((line) => `           ${paint('quiet', line)}`),
  ];
}

/** One exchange: the request, the response and its hash. */
function evidenceLine({ method, url, failure, failureDetail, status, contentType, bytes, sha256 }: Evidence): string {
  const came =
    failure === undefined
      ? `${status ?? ''} ${contentType ?? ''} ${bytes ?? ''} B sha256:${sha256?.slice(0, 12) ?? ''}`
      : failureWords(failure, typeof failureDetail === 'string' ? failureDetail : undefined);
  return oneLine(`${method} ${url} -> ${came}`);
}

function railLines({ paymentRails: { rails } }: HostFacts, paint: Paint, detailed: boolean): readonly string[] {
  return rails.length === 0
    ? []
    : [
        ...['', paint('strong', 'Payment')],
        ...rails.flatMap((rail) => [
          railLine(rail, paint),
          ...railFacts(rail).flatMap(({ said, text: fact }) =>
            detailed && said ? [oneLine(`  ${said} ${fact}`)] : [],
          ),
        ]),
      ];
}

function railLine(rail: PaymentRail, paint: Paint): string {
  const price = usdOfRail(rail) ?? `${rail.amount ?? '?'} units of ${rail.asset ?? '?'}`;
  const network = rail.networkName ?? rail.network ?? 'unknown network';
  const state = isPayable(rail)
    ? paint('good', 'payable')
    : paint('bad', oneLine(`not payable. ${failedChecks(rail.reasons)}`));
  const what = `${rail.protocol} ${rail.scheme ?? rail.method ?? ''} ${price} on ${network} to ${rail.payTo ?? '?'} for ${rail.httpMethod} ${rail.resource}`;
  return `${oneLine(what)}  ${state}`;
}

function fixLines(facts: HostFacts, paint: Paint, detailed: boolean): readonly string[] {
  const { first, leading, folded, additions } = adviceOf(facts);
  const inShort = (fixes: readonly Fix[]): readonly string[] =>
    fixes.map(({ id, problem }) => `  ${oneLine(id)}  ${paint('quiet', oneLine(problem))}`);
  return [
    ...(leading.length === 0 ? [] : ['', paint('strong', 'What to fix')]),
    ...(first === undefined ? [] : [first]),
    ...(detailed ? leading.flatMap((fix) => adviceLines(fix, paint)) : []),
    ...(detailed && folded.length > 0 ? [paint('quiet', `${folded.length} more, in full with --json:`)] : []),
    ...inShort(detailed ? folded : [...leading, ...folded]),
    ...(additions.length === 0
      ? []
      : ['', paint('strong', 'What you could add to sell to agents, in full with --json'), ...inShort(additions)]),
  ];
}

function adviceLines({ id, problem, fix, spec }: Fix, paint: Paint): readonly string[] {
  return [
    `${paint('strong', oneLine(id))}  ${oneLine(problem)}`,
    ...harmless(fix)
      .split('\n')
      .map((line) => `    ${line.trimEnd()}`),
    `    ${paint('quiet', oneLine(spec))}`,
  ];
}
