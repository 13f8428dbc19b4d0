import { list, member, text, type CellStatus, type Fix, type ProtocolCell } from '@app/detectors';
import {
  evidenceOf,
  isPayable,
  leadingFixes,
  payabilityOf,
  railFacts,
  usdOfRail,
  type Evidence,
  type HostFacts,
  type Payability,
  type PaymentRail,
} from '@app/reports';
import { harmless, oneLine, type Paint, type Tone } from './terminal/paint';

const TONES: Readonly<Record<CellStatus, Tone>> = {
  present: 'good',
  partial: 'middling',
  absent: 'quiet',
  undiscoverable: 'quiet',
  error: 'bad',
};

/** A report for a person: statuses with their evidence, rails, then what to do. */
export function reportPage(facts: HostFacts, paint: Paint): string {
  return [
    ...heading(facts, paint),
    '',
    ...facts.protocols.flatMap((cell) => cellLines(cell, paint)),
    ...railLines(facts, paint),
    ...fixLines(facts.fixes, paint),
  ]
    .join('\n')
    .concat('\n');
}

const PAYS: Readonly<Record<Payability, readonly [tone: Tone, words: string]>> = {
  payable: ['good', 'an agent can pay here'],
  not_payable: ['quiet', 'no agent can pay here'],
  untried: ['quiet', 'payment was not tested'],
  unseen: ['bad', 'could not check whether an agent can pay'],
};

function heading(facts: HostFacts, paint: Paint): readonly string[] {
  const { domain, origin, reachable, probedAt } = facts;
  const name = `${paint('strong', oneLine(domain))}  ${oneLine(origin)}`;
  if (reachable === undefined) return [`${name}  not probed yet`];
  const said = reachable ? [paint('good', 'up'), paint(...PAYS[payabilityOf(facts)])] : [paint('bad', 'down')];
  return [[name, ...said, paint('quiet', oneLine(probedAt ?? ''))].join('  ')];
}

function cellLines(cell: ProtocolCell, paint: Paint): readonly string[] {
  const { id, status, version, details } = cell;
  const remark = [details['name'], details['note'], details['reason'], details['endpoint'], details['description']]
    .map((value) => text(value))
    .find((value) => value !== undefined);
  const stated = oneLine(version ?? '').padEnd(11);
  const head = `${oneLine(id).padEnd(10)} ${paint(TONES[status], status.padEnd(14))} ${stated} ${oneLine(remark ?? '')}`;
  const findings = (list(details['findings']) ?? []).map((finding) =>
    oneLine(`! ${['id', 'at'].map((name) => text(member(finding, name)) ?? '').join(' ')}`),
  );
  const evidence = evidenceOf(cell).map(evidenceLine);
  return [
    head.trimEnd(),
    ...findings.map((line) => `           ${paint('middling', line)}`),
    ...evidence.map((line) => `           ${paint('quiet', line)}`),
  ];
}

/** One exchange: the request, the response, and the hash to compare it by. */
function evidenceLine({ method, url, failure, status, contentType, bytes, sha256 }: Evidence): string {
  const came = failure ?? `${status ?? ''} ${contentType ?? ''} ${bytes ?? ''} B sha256:${sha256?.slice(0, 12) ?? ''}`;
  return oneLine(`${method} ${url} -> ${came}`);
}

function railLines({ paymentRails: { rails } }: HostFacts, paint: Paint): readonly string[] {
  return rails.length === 0
    ? []
    : [
        ...['', paint('strong', 'Payment')],
        ...rails.flatMap((rail) => [
          railLine(rail, paint),
          ...railFacts(rail).flatMap(({ said, text: fact }) => (said ? [oneLine(`  ${said} ${fact}`)] : [])),
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

function fixLines(fixes: readonly Fix[], paint: Paint): readonly string[] {
  if (fixes.length === 0) return [];
  const { leading, folded } = leadingFixes(fixes);
  return [
    '',
    paint('strong', 'What to do'),
    ...leading.flatMap((fix) => adviceLines(fix, paint)),
    ...(folded.length === 0 ? [] : [paint('quiet', `${folded.length} more, in full with --json:`)]),
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
