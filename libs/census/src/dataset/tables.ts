import { isPayable, RAIL_COLUMNS } from '@app/reports';
import type { CensusFinding } from './finding';

/** A host of a census with its outcome. */
export interface ProbedHost {
  readonly domain: string;
  readonly site: string;
  readonly list: string;
  readonly outcome: string;
  readonly probedAt: Date;
  /** Null if no request was made. */
  readonly finding: CensusFinding | null;
}

type Value = string | number | boolean | Date | null;

export interface Column {
  readonly name: string;
  readonly type: 'STRING' | 'INT32' | 'BOOLEAN' | 'TIMESTAMP';
  readonly means: string;
}

/** A table of the dataset: its columns, and the function for the rows of one host. */
export interface Table {
  readonly name: string;
  readonly means: string;
  readonly columns: readonly Column[];
  readonly rows: (host: ProbedHost) => readonly (readonly Value[])[];
}

const text = (name: string, means: string): Column => ({ name, type: 'STRING', means });
const whole = (name: string, means: string): Column => ({ name, type: 'INT32', means });
const flag = (name: string, means: string): Column => ({ name, type: 'BOOLEAN', means });
const DOMAIN = text('domain', 'host name');

/** The tables with a row for each finding; `outcomes` contains counts. */
export const TABLES: readonly Table[] = [
  {
    name: 'probes',
    means: 'one row per host: the outcome',
    columns: [
      DOMAIN,
      text('site', 'its registrable domain'),
      text('list', 'source list'),
      { name: 'probed_at', type: 'TIMESTAMP', means: 'when the outcome was recorded' },
      text('outcome', 'found, nothing, unreachable, blocked, unwanted or not_probed'),
      text('reason', 'reason, for unreachable and blocked hosts'),
      text('probed', 'first: only the first pass; full: a full probe'),
      text('rules', 'version of the detector rules'),
      whole('requests', 'number of requests, without redirects'),
      flag('payable', 'whether a live payment challenge was read and one of its options passes every check'),
    ],
    rows: ({ domain, site, list, probedAt, outcome, finding }) => {
      const { kind, reason } = outcomeOf(outcome);
      const { probed = null, rules = null, requests = [], payable = false } = finding ?? {};
      return [[domain, site, list, probedAt, kind, reason, probed, rules, requests.length, payable]];
    },
  },
  {
    name: 'cells',
    means: 'one row per protocol and host with a full probe',
    columns: [
      DOMAIN,
      text('protocol', 'id'),
      text('status', 'present, partial, absent, undiscoverable or error'),
      text('version', 'as stated in the document'),
      text('reason', 'reason or note of the cell'),
      flag('catch_all', 'whether the host gives the same response for any path'),
      text('fixes', 'ids of the fixes, separated by commas'),
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
    means: 'one row per payment option in a live challenge',
    columns: [DOMAIN, ...RAIL_COLUMNS, flag('payable', 'whether it passes every check')],
    rows: ({ domain, finding }) =>
      (finding?.rails ?? []).map((rail) => [domain, ...RAIL_COLUMNS.map(({ of }) => of(rail)), isPayable(rail)]),
  },
  {
    name: 'signals',
    means: 'one row per signal and host with a full probe',
    columns: [DOMAIN, text('signal', 'id'), text('status', 'valid, faulty or absent')],
    rows: ({ domain, finding }) => (finding?.signals ?? []).map(({ id, status }) => [domain, id, status]),
  },
  {
    name: 'requests',
    means: 'one row per request',
    columns: [
      DOMAIN,
      text('method', 'GET or POST'),
      text('url', 'requested URL'),
      text('phase', 'presence, callability or signals'),
      whole('status', 'HTTP status of the response'),
      text('reason', 'why there was no response'),
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
  means: 'number of hosts per outcome',
  columns: [text('outcome', 'as in probes'), text('reason', 'as in probes'), whole('hosts', 'number of hosts')],
};

/** Splits an outcome into its word and its reason. */
export function outcomeOf(outcome: string): { readonly kind: string; readonly reason: string | null } {
  const [kind = '', reason = null] = outcome.split(':', 2);
  return { kind, reason };
}
