import { readFileSync } from 'node:fs';
import { ALERTS_PER_HOUR, UNPROVED_PER_HOST, WATCHES_OF_HOST, WATCHES_OF_SITE } from '@app/owners';
import { FREE_EVIDENCE_LIMITS } from '@app/evidence';
import { LONGEST_HISTORY, REPORT_BYTES } from '@app/storage';
import { loadConfig } from '@app/config';
import { EVERY_MS, UNCHARGED_KEPT } from '../apps/gateway/src/checkout/settlement-reconciler';
import { CALLERS } from '../apps/gateway/src/http/rate-limits';
import { PROBES_PER_HOUR } from '../apps/gateway/src/probing-client/free-presence';
import { RETENTION_UNREAD_HOSTS, RETENTION } from '../apps/worker/src/schedule/worker-schedule';
import { GROWTH, THREATS } from './support/growth-table';

/** Measured in apps/worker/test/readers.e2e-spec.ts. */
const ROW_BYTES = 18_432;
const MIB = 1_024 ** 2;

const SCHEMA = readFileSync('prisma/schema.prisma', 'utf8');
const TABLES = [...SCHEMA.matchAll(/@@map\("(\w+)"\)/g)].map(([, table = '']) => table);
const { callers, scheduledProbesPerMin: scheduled } = loadConfig({ DATABASE_URL: 'postgresql://localhost/a' });
const { refusedPaymentsPerMin: refused, claimsPerHour: claims } = callers;
const shown = (count: number): string => count.toLocaleString('en-US');
const gib = (bytes: number): string => `${shown(bytes / MIB / 1_024)} GiB`;

/** Both requested and scheduled probes. */
const FREE_PROBES = PROBES_PER_HOUR + scheduled * 60;
const EVIDENCE_MIB = (FREE_PROBES * FREE_EVIDENCE_LIMITS.probe) / MIB;
const REPORTS_MIB = (FREE_PROBES * REPORT_BYTES) / MIB;
const REFUSED_MIB = Math.ceil((refused * CALLERS * 60 * ROW_BYTES) / MIB);

describe('the database growth that strangers can cause, as stated in the threat model', () => {
  it('is stated for every table', () => {
    expect(TABLES).toHaveLength([...SCHEMA.matchAll(/^model /gm)].length);
    expect(GROWTH.map(({ table }) => table).toSorted()).toEqual(TABLES.toSorted());
  });

  it.each(GROWTH.filter(({ by }) => by === 'anybody'))('has a cap and an age: $table', ({ worst, cap, age }) => {
    for (const said of [worst, cap, age]) expect(said).toMatch(/\w{2}/);
  });

  it('is the sum of its parts per hour', () => {
    expect(THREATS.replaceAll('\n', ' ')).toContain(
      `${shown(EVIDENCE_MIB + 2 * REPORTS_MIB + REFUSED_MIB)} MiB in an hour: ${shown(EVIDENCE_MIB)} MiB of evidence, ` +
        `${shown(REPORTS_MIB)} MiB of reports with their changes, as much of reports that statements name, and ${REFUSED_MIB} MiB of refused payments`,
    );
  });

  it.each([
    ['evidence', `${shown(EVIDENCE_MIB)} MiB an hour`],
    ['evidence', `${gib(RETENTION_UNREAD_HOSTS.evidenceBytes)} in all`],
    ['evidence', `${RETENTION_UNREAD_HOSTS.days} days after the last reader`],
    ['host', `${shown(FREE_PROBES)} reports an hour`],
    ['host', `${shown(RETENTION_UNREAD_HOSTS.freeReports)} reports`],
    ['host', `${gib(RETENTION_UNREAD_HOSTS.freeReportBytes)} with their rails`],
    ['host', `${RETENTION_UNREAD_HOSTS.days} days after the last reader`],
    ['host_day', `${shown(RETENTION.host_day.rows)} rows`],
    ['host_day', `${shown(RETENTION.host_day.days)} days`],
    ['change_event', `${shown(RETENTION.change_event.rows)} rows, ${gib(RETENTION.change_event.bytes)}`],
    ['change_event', `${shown(RETENTION.change_event.days)} days`],
    ['probe_run', `${shown(RETENTION.probe_run.rows)} rows, ${gib(RETENTION.probe_run.bytes)}`],
    ['report_text', `${shown(RETENTION.report_text.rows)} rows, ${gib(RETENTION.report_text.bytes)}`],
    ['claim', `${shown(RETENTION.claim.rows)} rows`],
    ['claim', `${RETENTION.claim.days} days`],
    ['claim', `${claims} an hour for each caller, ${UNPROVED_PER_HOST} without control for each host`],
    ['watch', `of a host ${WATCHES_OF_HOST.free} free ones and ${shown(WATCHES_OF_HOST.bought)} bought ones`],
    ['watch', `of a site ${WATCHES_OF_SITE.free} and ${shown(WATCHES_OF_SITE.bought)}`],
    ['watch', `${shown(RETENTION.watch.rows)} rows`],
    ['watch', `${RETENTION.watch.days} days`],
    ['watched_host', `${shown(RETENTION.watched_host.rows)} rows`],
    ['alert', `${ALERTS_PER_HOUR} an hour for each host`],
    ['alert', `${shown(RETENTION.alert.rows)} rows`],
    ['alert', `${RETENTION.alert.days} days`],
    ['limit_counter', `${shown(RETENTION.limit_counter.rows)} rows`],
    ['payment_attempt', `${shown(REFUSED_MIB)} MiB an hour`],
    ['payment_attempt', `${shown(UNCHARGED_KEPT)} rows that ended without a charge, every ${EVERY_MS / 1_000} seconds`],
    ['payment_event', `${LONGEST_HISTORY} steps`],
  ])('matches the limits in the code for %s: %s', (name, stated) => {
    const { worst, cap, age } = GROWTH.find(({ table }) => table === name)!;
    expect([worst, cap, age].join(' | ')).toContain(stated);
  });
});
