import { list, member, text, type CellStatus, type Fix, type ProtocolCell } from '@app/detectors';
import {
  evidenceOf,
  failureWords,
  isPayable,
  isReason,
  leadingFixes,
  payabilityOf,
  railFacts,
  REASONS,
  remarkOn,
  Skipped,
  skippedText,
  usdOfRail,
  type Evidence,
  type HostFacts,
  type Payability,
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

/** A report of this machine, or of a service, which may also say why a probe was skipped. */
type PrintedReport = HostFacts & { readonly skipped?: unknown };

/**
 * A report for a person: the verdict, then a line for each protocol, payment option and fix.
 * @param detailed with the evidence, the findings, and the fixes in full
 */
export function reportPage(facts: PrintedReport, paint: Paint, detailed: boolean): string {
  const reason = commonReason(facts);
  const statuses = facts.protocols.flatMap((cell) => [
    statusLine(cell, facts.fixes, paint),
    ...(detailed ? detailLines(cell, paint) : []),
  ]);
  return [
    ...heading(facts, paint),
    ...skippedLines(facts),
    ...(reason === undefined ? [] : [`${causeIn(facts, reason)} ${REASONS[reason].remedy}`]),
    ...(reason === undefined || detailed ? ['', ...statuses] : []),
    ...railLines(facts, paint, detailed),
    ...fixLines(facts.fixes, paint, detailed),
    ...(detailed ? [] : ['', paint('quiet', 'For the evidence and the fixes in full, add --verbose.')]),
  ]
    .join('\n')
    .concat('\n');
}

/** The reason why nothing of a host could be checked, when it is the same for each protocol. */
export function commonReason({ protocols }: HostFacts): Reason | undefined {
  const checked = protocols.filter(({ status }) => status !== 'undiscoverable');
  const reasons = new Set(checked.map(({ status, details }) => (status === 'error' ? text(details['reason']) : '')));
  const [reason = ''] = reasons;
  return reasons.size === 1 && isReason(reason) ? reason : undefined;
}

/** What happened, in words: of a certificate also what is wrong with it. */
export function causeIn({ protocols }: HostFacts, reason: Reason): string {
  const evidence = protocols.flatMap((cell) => list(cell.details['evidence']) ?? []);
  const failed = evidence.find((one) => member(one, 'failure') === reason);
  return failureWords(reason, text(member(failed, 'failureDetail')));
}

const PAYS: Readonly<Record<Payability, readonly [tone: Tone, words: string]>> = {
  payable: ['good', 'an agent can pay here'],
  not_payable: ['quiet', 'no agent can pay here'],
  untried: ['quiet', 'payment was not tested'],
  unseen: ['bad', 'could not check whether an agent can pay'],
};

function heading(facts: PrintedReport, paint: Paint): readonly string[] {
  const { domain, origin, reachable, probedAt, skipped } = facts;
  const name = `${paint('strong', oneLine(domain))}  ${oneLine(origin)}`;
  if (reachable === undefined) return [`${name}  ${skipped === undefined ? 'not probed yet' : 'not probed'}`];
  const said = reachable ? [paint('good', 'up'), paint(...PAYS[payabilityOf(facts)])] : [paint('bad', 'down')];
  return [[name, ...said, paint('quiet', oneLine(probedAt ?? ''))].join('  ')];
}

/** Nothing for a reason of a later version. */
function skippedLines({ skipped }: PrintedReport): readonly string[] {
  const { data } = Skipped.safeParse(skipped);
  if (!data) return [];
  const { what, paid } = skippedText(data);
  return [oneLine(`${what} ${paid}`)];
}

function statusLine(cell: ProtocolCell, fixes: readonly Fix[], paint: Paint): string {
  const { id, status, version, details } = cell;
  const remark =
    text(details['name']) ?? remarkOn(cell, fixes) ?? text(details['endpoint']) ?? text(details['description']);
  const stated = oneLine(version ?? '').padEnd(11);
  const line = `${oneLine(id).padEnd(10)} ${paint(TONES[status], status.padEnd(14))} ${stated} ${oneLine(remark ?? '')}`;
  return line.trimEnd();
}

function detailLines(cell: ProtocolCell, paint: Paint): readonly string[] {
  const findings = (list(cell.details['findings']) ?? []).map((finding) =>
    oneLine(`! ${['id', 'at'].map((name) => text(member(finding, name)) ?? '').join(' ')}`),
  );
  const evidence = evidenceOf(cell).map(evidenceLine);
  return [
    ...findings.map((line) => `           ${paint('middling', line)}`),
    ...evidence.map((line) => `           ${paint('quiet', line)}`),
  ];
}

/** One exchange: the request, the response, and the hash to compare it by. */
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
    : paint('bad', oneLine(`not payable: ${rail.reasons.join(', ')}`));
  const what = `${rail.protocol} ${rail.scheme ?? rail.method ?? ''} ${price} on ${network} to ${rail.payTo ?? '?'} for ${rail.httpMethod} ${rail.resource}`;
  return `${oneLine(what)}  ${state}`;
}

function fixLines(fixes: readonly Fix[], paint: Paint, detailed: boolean): readonly string[] {
  if (fixes.length === 0) return [];
  const { leading, folded } = detailed ? leadingFixes(fixes) : { leading: [], folded: fixes };
  return [
    '',
    paint('strong', 'What to do'),
    ...leading.flatMap((fix) => adviceLines(fix, paint)),
    ...(detailed && folded.length > 0 ? [paint('quiet', `${folded.length} more, in full with --json:`)] : []),
    ...folded.map(({ id, problem }) => `  ${oneLine(id)}  ${paint('quiet', oneLine(problem))}`),
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
