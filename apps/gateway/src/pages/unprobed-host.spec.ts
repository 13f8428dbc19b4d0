import { OptOuts, TargetBusyError } from '@app/limits';
import type { RunRequest } from '@app/queue';
import { memoryLimits } from '../../../../test/support/memory-limits';
import { hostName } from '../../../../test/support/report';
import { FreePresence } from '../probing-client/free-presence';
import { ATOM, ReportForms } from '../reports/report-forms';
import { HostReportsService } from '../reports/host-reports.service';
import { ReportCache } from '../reports/report-cache';
import type { PageDefinition, PageRequest } from './page-definition';
import { layout, PAGES } from './page-registry';

const DOMAIN = 'shop.example.com';
const CALLER = '192.0.2.1';
const CONFIG = {
  http: { publicBaseUrl: 'https://hostprobe.example.org' },
  identity: { contact: null, egress: [] },
  freePresenceProbe: true,
} as never;

/** The pages and reports of a service that never probed anything, and the hosts that it probes. */
function newService(fault?: Error) {
  const probed: string[] = [];
  const optOuts = new OptOuts(
    [],
    () => Promise.resolve([]),
    () => undefined,
  );
  const run = ({ host }: RunRequest): Promise<never> => {
    probed.push(host.ascii);
    return Promise.resolve({} as never);
  };
  const presence = new FreePresence({
    probes: { admitTarget: () => (fault ? Promise.reject(fault) : Promise.resolve()), run },
    limits: memoryLimits(),
    optOuts,
    failed: () => undefined,
    spent: () => undefined,
  });
  const rest = { method: 'GET', url: 'https://hostprobe.example.org/' };
  const offer = {
    payable: true,
    priceUsd: 0.02,
    days: 30,
    network: 'eip155:8453',
    rest,
    mcp: { tool: 'refresh_host', path: '/api/v1/mcp' },
    docs: 'https://hostprobe.example.org/openapi.json',
  };
  const offers = { refresh: () => offer, subscribe: () => offer } as never;
  const store = { findReports: () => Promise.resolve(new Map()) };
  const cache = new ReportCache(store, { on: () => () => undefined }, offers, { note: () => undefined });
  const changes = { latest: () => Promise.resolve([]) } as never;
  const reports = new HostReportsService(cache, changes, optOuts, presence, offers);
  const unlisted: string[] = [];
  const unlist = (domain: string): Promise<void> => {
    unlisted.push(domain);
    return Promise.resolve();
  };
  return { reports, hosts: new ReportForms(reports, CONFIG, { unlist }), probed, unlisted };
}

/** A request by an anonymous visitor, for any page about a host. */
const OPENED = {
  params: { domain: DOMAIN, file: `${DOMAIN}.svg` },
  query: {},
  headers: { accept: 'text/html' },
  ip: CALLER,
} as unknown as PageRequest;
const ABOUT_A_HOST = PAGES.filter(({ path }) => path.startsWith('/hosts/:domain') || path.startsWith('/badge/'));
const OPEN = ABOUT_A_HOST.filter(({ method }) => method !== 'POST');

describe('a host that is not probed yet', () => {
  const render = async ({ hosts }: ReturnType<typeof newService>, page: PageDefinition, request = OPENED) => {
    await page.render({ hosts, config: CONFIG, layout } as never, request);
  };

  it.each(OPEN)('is not probed by opening $path', async (page) => {
    const service = newService();
    await render(service, page);
    await render(service, page, { ...OPENED, headers: { accept: 'text/markdown' } });
    expect(service.probed).toEqual([]);
  });

  it('is probed by a lookup and by the button of its page', async () => {
    const [asked, pressed] = [newService(), newService()];
    await asked.reports.lookup(hostName(DOMAIN), CALLER, 1_000);
    await render(
      pressed,
      ABOUT_A_HOST.find(({ method }) => method === 'POST')!,
    );
    expect([asked.probed, pressed.probed]).toEqual([[DOMAIN], [DOMAIN]]);
    expect(OPEN.length).toBeGreaterThanOrEqual(4);
  });

  it('is unlisted only if it is probed with the button for that', async () => {
    const [quiet, listed] = [newService(), newService()];
    const button = ABOUT_A_HOST.find(({ method }) => method === 'POST')!;
    await render(quiet, button, { ...OPENED, query: { listed: 'no' } });
    await render(listed, button);
    expect([quiet.probed, quiet.unlisted, listed.unlisted]).toEqual([[DOMAIN], [DOMAIN], []]);
  });

  it.each([new TargetBusyError(1_000), new Error('the queue is gone')])(
    'stays listed if its probe does not start: %s',
    async (fault) => {
      const refused = newService(fault);
      const button = ABOUT_A_HOST.find(({ method }) => method === 'POST')!;
      await expect(render(refused, button, { ...OPENED, query: { listed: 'no' } })).rejects.toThrow();
      expect([refused.probed, refused.unlisted]).toEqual([[], []]);
    },
  );

  const progress = ABOUT_A_HOST.find(({ operationId }) => operationId === 'probe_progress_page')!;
  const RUN = '0f0e0d0c-0b0a-4009-8807-060504030201';
  const shownAs = (run: object | undefined) =>
    progress.render(
      { runs: { find: () => Promise.resolve(run) }, events: { protocolsAsked: () => 4 }, layout } as never,
      { ...OPENED, query: { run: RUN } },
    );
  const running = { id: RUN, domain: DOMAIN, status: 'running', failure: null, deadlineAt: new Date('2100-01-01') };

  it('has a progress page until its probe has ended', async () => {
    expect(await shownAs(running)).toMatchObject({ body: expect.stringContaining('4 of 11 protocols') as unknown });
    expect(await shownAs({ ...running, status: 'done' })).toEqual({ location: `/hosts/${DOMAIN}`, status: 303 });
  });

  it.each([
    ['run_unknown', undefined],
    ['run_unknown', { ...running, domain: 'other.example.com' }],
    ['target_busy', { ...running, status: 'failed', failure: 'target_busy' }],
    ['probe_failed', { ...running, status: 'failed', failure: 'worker_failed' }],
    ['probe_timeout', { ...running, deadlineAt: new Date('2000-01-01') }],
  ])('has the error %s instead of a progress page: %j', async (code, run) => {
    await expect(shownAs(run)).rejects.toMatchObject({ code });
  });

  it('has a feed dated today', async () => {
    const { hosts } = newService();
    const { body } = await hosts.inForm(ATOM, hostName(DOMAIN));
    expect(String(body)).toContain(`<updated>${new Date().toISOString().slice(0, 10)}T00:00:00.000Z</updated>`);
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbor of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a page that hides where it is, over plain http', { origin: 'null' }],
    ['another origin, over plain http', { origin: 'https://hostile.example.com' }],
  ])('is not probed by a button on a page of %s', async (_, headers) => {
    const service = newService();
    const button = ABOUT_A_HOST.find(({ method }) => method === 'POST')!;
    await expect(render(service, button, { ...OPENED, headers })).rejects.toThrow();
    expect(service.probed).toEqual([]);
  });
});
