import { isPayable, RAIL_COLUMNS } from '@app/reports';
import type { CensusFinding } from './finding';

/** A host of a census with what came of it. */
export interface ProbedHost {
  readonly domain: string;
  readonly site: string;
  readonly list: string;
  readonly outcome: string;
  readonly probedAt: Date;
  /** Null where no request was made. */
  readonly finding: CensusFinding | null;
}

type Value = string | number | boolean | Date | null;

export interface Column {
  readonly name: string;
  readonly type: 'STRING' | 'INT32' | 'BOOLEAN' | 'TIMESTAMP';
  readonly means: string;
}

/** A table of the dataset: its columns, and the rows of one host in their order. */
export interface Table {
  readonly name: string;
  readonly means: string;
  readonly columns: readonly Column[];
  readonly rows: (host: ProbedHost) => readonly (readonly Value[])[];
}

const text = (name: string, means: string): Column => ({ name, type: 'STRING', means });
const whole = (name: string, means: string): Column => ({ name, type: 'INT32', means });
const flag = (name: string, means: string): Column => ({ name, type: 'BOOLEAN', means });
const DOMAIN = text('domain', 'name of the host');

/** The tables with a row for each thing that was found; `outcomes` counts them. */
export const TABLES: readonly Table[] = [
  {
    name: 'probes',
    means: 'one row for each host: what came of it',
    columns: [
      DOMAIN,
      text('site', 'its registrable domain'),
      text('list', 'the list that named it'),
      { name: 'probed_at', type: 'TIMESTAMP', means: 'when its outcome was written' },
      text('outcome', 'found, nothing, unreachable, blocked, unwanted or not_probed'),
      text('reason', 'why, for unreachable and blocked'),
      text('probed', 'first: the first pass decided; full: a full probe was made'),
      text('rules', 'version of the rules it was judged by'),
      whole('requests', 'exchanges, redirects not counted'),
      flag('payable', 'a live challenge was read and an option of it passes every check'),
    ],
    rows: ({ domain, site, list, probedAt, outcome, finding }) => {
      const { kind, reason } = outcomeOf(outcome);
      const { probed = null, rules = null, requests = [], payable = false } = finding ?? {};
      return [[domain, site, list, probedAt, kind, reason, probed, rules, requests.length, payable]];
    },
  },
  {
    name: 'cells',
    means: 'one row for each protocol of each host that was probed in full',
    columns: [
      DOMAIN,
      text('protocol', 'its id'),
      text('status', 'present, partial, absent, undiscoverable or error'),
      text('version', 'as the document states it'),
      text('reason', 'reason or note of the cell'),
      flag('catch_all', 'the host says the same to any path'),
      text('fixes', 'ids of what there is to mend, separated by commas'),
    ],
    rows: ({ domain, finding }) =>
      Object.entries(finding?.cells ?? {}).map(([protocol, { status, version, reason, catchAll, fixes }]) => [
        domain,
        protocol,
        status,
        version ?? null,
        reason ?? null,
        catchAll === true,
        fixes?.join() ?? null,
      ]),
  },
  {
    name: 'rails',
    means: 'one row for each way to pay that a host offered in a live challenge',
    columns: [DOMAIN, ...RAIL_COLUMNS, flag('payable', 'it passes every check')],
    rows: ({ domain, finding }) =>
      (finding?.rails ?? []).map((rail) => [domain, ...RAIL_COLUMNS.map(({ of }) => of(rail)), isPayable(rail)]),
  },
  {
    name: 'signals',
    means: 'one row for each signal of each host that was probed in full',
    columns: [DOMAIN, text('signal', 'its id'), text('status', 'valid, faulty or absent')],
    rows: ({ domain, finding }) => (finding?.signals ?? []).map(({ id, status }) => [domain, id, status]),
  },
  {
    name: 'requests',
    means: 'one row for each exchange',
    columns: [
      DOMAIN,
      text('method', 'GET or POST'),
      text('url', 'as requested'),
      text('phase', 'presence, callability or signals'),
      whole('status', 'of the answer'),
      text('reason', 'why no answer came'),
      whole('bytes', 'of the body, decoded'),
      text('sha256', 'of the body'),
    ],
    rows: ({ domain, finding }) =>
      (finding?.requests ?? []).map(
        ({ method, url, phase, status = null, reason = null, bytes = null, sha256 = null }) => [
          domain,
          method,
          url,
          phase,
          status,
          reason,
          bytes,
          sha256,
        ],
      ),
  },
];

export const OUTCOMES: Omit<Table, 'rows'> = {
  name: 'outcomes',
  means: 'how many hosts ended in which way',
  columns: [text('outcome', 'as in probes'), text('reason', 'as in probes'), whole('hosts', 'how many')],
};

/** The word of an outcome, and its reason. */
export function outcomeOf(outcome: string): { readonly kind: string; readonly reason: string | null } {
  const [kind = '', reason = null] = outcome.split(':', 2);
  return { kind, reason };
}
