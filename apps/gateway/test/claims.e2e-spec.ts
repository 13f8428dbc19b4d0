import { Client } from 'pg';
import { ClaimRepository, Database, RunRepository } from '@app/storage';
import type { OptOuts } from '@app/limits';
import type { Browser } from 'playwright-core';
import { hasBrowser, seriousViolations, startBrowser } from '../../../test/support/browser';
import { ABSENT } from '../../../test/support/claim-findings';
import { startNameServer, type NameServer } from '../../../test/support/name-server';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import type { ClaimState, NewClaim } from '../src/owners/claim-state';
import { Claims } from '../src/owners/claims';
import type { Producers } from '../src/platform/connections';
import type { RateLimits } from '../src/http/rate-limits';

const DAYS = 86_400;
const NS = ['ns1.example.net', 'ns2.example.net'];
const ELSEWHERE = ['ns1.example.org'];

describe('a claim', () => {
  let service: Service;
  let shop: TestHost;
  let database: Client;
  const records = [new Set<string>(), new Set<string>()] as const;
  /** The name servers of example.com according to each resolver; undefined if the name does not exist. */
  let zones: (readonly string[] | undefined)[] = [];
  const servers: NameServer[] = [];
  let file = 'nothing';
  let robots = '';
  let domain = '';
  let count = 0;

  beforeAll(async () => {
    shop = await startTestHost({
      '/robots.txt': (request, response) => {
        says(robots, { 'content-type': 'text/plain' })(request, response);
      },
      '/.well-known/hostprobe-claim.txt': (request, response) => {
        says(file, { 'content-type': 'text/plain' })(request, response);
      },
    });
    for (const [at, known] of records.entries()) {
      servers.push(
        await startNameServer(({ type, name }) =>
          type === 'NS'
            ? zones[at]?.map((data) => ({ type, name, data }))
            : [...known].map((data) => ({ type: 'TXT', name: `_hostprobe-challenge.${domain}`, data })),
        ),
      );
    }
    const names = ['elsewhere', ...Array.from({ length: 40 }, (_, at) => `shop-${at}`)];
    service = await startService({
      backend: backends()[0]!,
      connectTo: names.map((name) => shop.as(`${name}.example.com`)),
      env: {
        CLAIM_RESOLVERS: servers.map(({ address }) => address).join(','),
        RATE_LIMIT_CLAIMS_PER_HOUR: '1000',
        RATE_LIMIT_OWNER_PROBES_PER_DAY: '2',
        OPT_OUT: 'left-alone.example.com',
        SCHEDULED_PROBES_PER_MIN: '0',
      },
    });
    database = new Client({ connectionString: service.config.database.url });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.stop();
    await shop.close();
    for (const server of servers) server.close();
  });
  beforeEach(() => {
    file = 'nothing';
    robots = '';
    zones = [NS, NS];
    for (const known of records) known.clear();
    domain = `shop-${count++}.example.com`;
  });

  const asked = (path: string, key = '', method = 'GET'): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/${path}`, { method, headers: key ? { authorization: `Bearer ${key}` } : {} });
  const begun = async (host = domain): Promise<NewClaim> => {
    const answer = await asked(`hosts/${host}/claims`, '', 'POST');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'private, no-store']);
    const claim = (await answer.json()) as NewClaim;
    expect(answer.headers.get('location')).toBe(`/api/v1/claims/${claim.id}`);
    return claim;
  };
  const shown = async ({ id, key }: NewClaim): Promise<ClaimState> => {
    const answer = await asked(`claims/${id}`, key);
    expect(answer.status).toBe(200);
    return (await answer.json()) as ClaimState;
  };
  const code = async (answer: Promise<Response>): Promise<unknown> => {
    const { status, headers } = await answer;
    const body = (await (await answer).json()) as { readonly code: string };
    return [status, body.code, headers.get('www-authenticate')];
  };

  /** Moves the claim into the past by a number of seconds. */
  const pass = (id: string, seconds: number): Promise<unknown> =>
    database.query(
      `UPDATE claim SET created_at = created_at - $2 * interval '1 second', asked_at = asked_at - $2 * interval '1 second',
         level_since = level_since - $2 * interval '1 second', last_seen_at = last_seen_at - $2 * interval '1 second',
         checked_at = checked_at - $2 * interval '1 second' WHERE id = $1`,
      [id, seconds],
    );
  /** Asks for a check and waits for what it finds. */
  async function checked(claim: NewClaim): Promise<ClaimState> {
    await until('no check is under way, which this one would join', async () => {
      const open = `SELECT FROM probe_run WHERE kind = 'claim_check' AND status IN ('queued', 'running')`;
      return (await database.query(open)).rowCount === 0;
    });
    await pass(claim.id, 600);
    const before = await shown(claim);
    let after = before;
    await until('the claim is checked', async () => (after = await shown(claim)).checkedAt !== before.checkedAt);
    return after;
  }

  it('by DNS is verified after all name servers had its record twice, and does not change the report', async () => {
    await service.admitted();
    expect((await (await newPayer()).fetch(`${service.baseUrl}/api/v1/hosts/${domain}/refresh`)).status).toBe(200);
    const report = async (): Promise<readonly unknown[]> => {
      const { rows } = await database.query('SELECT version, facts, payable FROM host WHERE domain = $1', [domain]);
      expect(rows).toHaveLength(1);
      const reads = ['', '/changes', '/statement'].map(async (part) => {
        const answer = await asked(`hosts/${domain}${part}`);
        expect(answer.status).toBe(200);
        return answer.text();
      });
      return [rows, ...(await Promise.all(reads))];
    };
    const before = await report();
    const claim = await begun();
    expect(claim).toMatchObject({ domain, status: 'pending', level: null, found: null, others: [] });
    records[0].add(claim.record.value);
    expect(await checked(claim)).toMatchObject({ status: 'pending', level: null, found: { dns: 'disagree' } });
    records[1].add(claim.record.value);
    expect(await checked(claim)).toMatchObject({ status: 'pending', level: 'dns', found: { dns: 'found' } });
    expect(await checked(claim)).toMatchObject({ status: 'verified', level: 'dns', endsAt: null });
    expect(await report()).toEqual(before);
  });

  it('by a file is verified as such, and lapses after a grace period when the file is gone', async () => {
    const claim = await begun();
    file = claim.file.content;
    expect(await checked(claim)).toMatchObject({ status: 'pending', level: 'http', found: { dns: 'absent' } });
    expect(await checked(claim)).toMatchObject({ status: 'verified', level: 'http' });
    file = 'something else';
    expect(await checked(claim)).toMatchObject({ status: 'grace', found: { file: 'absent' } });
    await pass(claim.id, 15 * DAYS);
    expect(await code(asked(`claims/${claim.id}`, claim.key))).toEqual([401, 'claim_lapsed', 'Bearer realm="claim"']);
  });

  it('by a file respects only the robots.txt group for our crawler', async () => {
    const claim = await begun();
    file = claim.file.content;
    const asked = () => shop.requests.filter((line) => line === 'GET /.well-known/hostprobe-claim.txt').length;
    const before = asked();
    robots = 'User-agent: hostprobe\nDisallow: /.well-known/\n';
    expect(await checked(claim)).toMatchObject({ level: null, found: { file: 'unknown' } });
    expect(asked()).toBe(before);
    for (const allowed of ['User-agent: *\nDisallow: /\n', 'User-agent: hostprobe\nDisallow: /shop\n']) {
      robots = allowed;
      expect(await checked(claim)).toMatchObject({ level: 'http', found: { file: 'found' } });
    }
  });

  it('that was never verified is checked after growing pauses, and every minute afterwards', async () => {
    const { id } = await begun();
    const stored = new Database(service.config.database.url, service.config.database);
    const claims = new ClaimRepository(stored, 600_000);
    const mayCheck = async (unseen: number, seconds: number): Promise<boolean> => {
      await database.query(
        `UPDATE claim SET unseen_checks = $2, asked_at = now() - $3 * interval '1 second' WHERE id = $1`,
        [id, unseen, seconds],
      );
      const may = await claims.mayCheck(id);
      if (may) await claims.noteAsked(id);
      return may && !(await claims.mayCheck(id));
    };
    for (const [unseen, pause] of [60, 60, 300, 1_800, 10_800, 10_800].entries()) {
      expect([unseen, await mayCheck(unseen, pause - 5), await mayCheck(unseen, pause + 1)]).toEqual([
        unseen,
        false,
        true,
      ]);
    }
    await database.query('UPDATE claim SET unseen_checks = 0 WHERE id = $1', [id]);
    const unseen = async (): Promise<number> =>
      (await database.query<{ n: number }>('SELECT unseen_checks AS n FROM claim WHERE id = $1', [id])).rows[0]!.n;
    for (const count of [1, 2, 3]) {
      await claims.record(id, ABSENT);
      expect(await unseen()).toBe(count);
    }
    await claims.record(id, { ...ABSENT, dns: 'found' });
    expect(await unseen()).toBe(0);
    await stored.close();
  });

  it.each(['by the limits', 'by the queue'])(
    'is checked every day, even if every requested check is refused %s',
    async (by) => {
      const { id, key } = await begun();
      const stored = new Database(service.config.database.url, service.config.database);
      const [claims, runs] = [new ClaimRepository(stored, 600_000), new RunRepository(stored)];
      const limits = { mayCheckClaim: () => Promise.resolve(by === 'by the queue') } as unknown as RateLimits;
      const producers = { claims: { add: () => Promise.reject(new Error('away')) } } as unknown as Producers;
      const asked = new Claims(claims, runs, {} as OptOuts, limits, producers, service.config);
      await claims.record(id, { ...ABSENT, dns: 'found' });
      await claims.noteAsked(id);
      await pass(id, 600);
      await claims.record(id, { ...ABSENT, dns: 'found' });
      await pass(id, 23 * 3_600);
      const isDue = async () => (await claims.takeDue(100)).some((due) => due.id === id);
      const answer = () => asked.show(id, key, { ip: '192.0.2.7' }).catch((error: unknown) => error);
      await answer();
      await pass(id, 1_800);
      expect([await answer(), await isDue()]).toEqual([
        expect.objectContaining(by === 'by the queue' ? { code: 'queue_unavailable' } : { status: 'verified' }),
        false,
      ]);
      await pass(id, 3_600);
      await answer();
      expect([await isDue(), await isDue()]).toEqual([true, false]);
      await stored.close();
    },
  );

  it('goes into grace at once if all resolvers say that its domain is gone or has other name servers', async () => {
    const claim = await begun();
    for (const known of records) known.add(claim.record.value);
    await checked(claim);
    expect(await checked(claim)).toMatchObject({ status: 'verified', found: { zone: 'kept' } });
    const unsure = [
      [undefined, NS],
      [ELSEWHERE, NS],
      [[], []],
    ] as const;
    for (const told of unsure) {
      zones = [...told];
      expect(await checked(claim)).toMatchObject({ status: 'verified', found: { zone: 'unknown' } });
    }
    zones = [
      [...ELSEWHERE, 'NS2.example.net'],
      ['ns2.EXAMPLE.net', ...ELSEWHERE],
    ];
    expect(await checked(claim)).toMatchObject({ status: 'verified', found: { zone: 'kept' } });
    zones = [undefined, undefined];
    expect(await checked(claim)).toMatchObject({ status: 'grace', found: { dns: 'found', zone: 'gone' } });
    zones = [['ns3.example.org'], ['ns3.example.org']];
    expect(await checked(claim)).toMatchObject({ status: 'grace', found: { dns: 'found', zone: 'moved' } });
    expect(await code(asked(`claims/${claim.id}/probe`, claim.key, 'POST'))).toEqual([403, 'claim_not_verified', null]);
    expect(await checked(claim)).toMatchObject({ status: 'verified', found: { zone: 'kept' } });
  });

  it('is checked with any bytes in the names, records and file of its host', async () => {
    const claim = await begun();
    zones = [['n\u0000s.example.net'], ['n\u0000s.example.net']];
    file = `${claim.file.content}\u0000`;
    for (const known of records) known.add('\u0000\ud800').add(claim.record.value);
    expect(await checked(claim)).toMatchObject({ level: 'dns', found: { dns: 'found', file: 'absent' } });
    const { rows } = await database.query('SELECT name_servers FROM claim WHERE id = $1', [claim.id]);
    expect(rows).toEqual([{ name_servers: ['n\ufffds.example.net'] }]);
  });

  it('cannot be verified with the token of another claim or host', async () => {
    const [mine, other, elsewhere] = [await begun(), await begun(), await begun('elsewhere.example.com')];
    for (const known of records) known.add(other.record.value).add(elsewhere.record.value);
    file = elsewhere.file.content;
    expect(await checked(mine)).toMatchObject({ level: null, found: { dns: 'absent', file: 'absent' } });
    await checked(other);
    expect(await shown(mine)).toMatchObject({
      others: [{ id: other.id, level: 'dns', status: 'pending', createdAt: expect.any(String) }],
    });
  });

  it('by a file can be ended by an owner verified by DNS, and with no other key', async () => {
    const [served, owner, stranger] = [await begun(), await begun(), await begun('elsewhere.example.com')];
    const refused = [401, 'claim_key_invalid', 'Bearer realm="claim"'];
    file = served.file.content;
    expect(await checked(served)).toMatchObject({ level: 'http' });
    for (const known of records) known.add(owner.record.value);
    await checked(owner);
    for (const { key } of [owner, stranger])
      expect(await code(asked(`claims/${served.id}`, key, 'DELETE'))).toEqual(refused);
    expect(await checked(owner)).toMatchObject({ status: 'verified', level: 'dns', others: [{ id: served.id }] });
    expect(await code(asked(`claims/${owner.id}`, served.key, 'DELETE'))).toEqual(refused);
    const ended = await asked(`claims/${served.id}`, owner.key, 'DELETE');
    expect([ended.status, await ended.text()]).toEqual([204, '']);
    expect(await checked(owner)).toMatchObject({ others: [] });
    expect(await code(asked(`claims/${served.id}`, served.key))).toEqual(refused);
  });

  it('is shown, changed and ended only with its key', async () => {
    const [mine, other] = [await begun(), await begun()];
    const refused = [401, 'claim_key_invalid', 'Bearer realm="claim"'];
    for (const key of ['', 'hpo_x', other.key]) expect(await code(asked(`claims/${mine.id}`, key))).toEqual(refused);
    expect(await code(asked('claims/nothing', mine.key))).toEqual(refused);
    const rotated = (await (await asked(`claims/${mine.id}/rotate`, mine.key, 'POST')).json()) as NewClaim;
    expect(rotated).toMatchObject({ id: mine.id, record: mine.record });
    expect(await code(asked(`claims/${mine.id}`, mine.key))).toEqual(refused);
    expect((await asked(`claims/${mine.id}`, rotated.key, 'DELETE')).status).toBe(204);
    expect(await code(asked(`claims/${mine.id}`, rotated.key, 'DELETE'))).toEqual(refused);
  });

  it('that is verified allows a limited number of free full probes per day, which wait behind paid ones', async () => {
    const claim = await begun();
    const probe = (): Promise<Response> => asked(`claims/${claim.id}/probe`, claim.key, 'POST');
    expect(await code(probe())).toEqual([403, 'claim_not_verified', null]);
    file = claim.file.content;
    await checked(claim);
    expect(await checked(claim)).toMatchObject({ status: 'verified' });
    for (let nth = 1; nth <= 2; nth += 1) {
      const answer = await probe();
      expect(answer.status).toBe(202);
      const { run } = (await answer.json()) as { readonly run: { readonly id: string; readonly events: string } };
      expect(await (await fetch(service.baseUrl + run.events)).text()).toContain('event: end');
      const { rows } = await database.query('SELECT kind, status FROM probe_run WHERE id = $1', [run.id]);
      expect(rows).toEqual([{ kind: 'watch', status: 'done' }]);
    }
    const { callabilityProbedAt } = (await (await asked(`hosts/${domain}`)).json()) as Record<string, unknown>;
    expect(callabilityProbedAt).toEqual(expect.any(String));
    expect(await code(probe())).toEqual([429, 'free_probes_used', null]);
    file = 'something else';
    expect(await checked(claim)).toMatchObject({ status: 'grace' });
    expect(await code(probe())).toEqual([403, 'claim_not_verified', null]);
  });

  it('shows if robots.txt stops its free probes, and starts one when it no longer does', async () => {
    const claim = await begun();
    file = claim.file.content;
    await checked(claim);
    expect(await checked(claim)).toMatchObject({ status: 'verified', lastProbe: null });
    const end = async (): Promise<unknown> => {
      const answer = await asked(`claims/${claim.id}/probe`, claim.key, 'POST');
      expect(answer.status).toBe(202);
      const { run } = (await answer.json()) as { readonly run: { readonly events: string } };
      const events = await (await fetch(service.baseUrl + run.events)).text();
      return JSON.parse(events.split('event: end\ndata: ')[1] ?? '');
    };
    robots = 'User-agent: hostprobe\nDisallow: /\n';
    const skipped = { reason: 'robots_txt', at: expect.any(String) as string };
    expect(await end()).toEqual({ status: 'done', skipped });
    expect(await shown(claim)).toMatchObject({ lastProbe: { status: 'done', skipped } });
    robots = '';
    expect(await end()).toEqual({ status: 'done' });
    expect(await shown(claim)).toMatchObject({ lastProbe: { status: 'done', skipped: null } });
  });

  it.each(['co.uk', 'github.io', 'vercel.app', '192.0.2.1', 'localhost'])('cannot be made for %s', async (name) => {
    expect(await code(asked(`hosts/${name}/claims`, '', 'POST'))).toEqual([400, 'invalid_domain', null]);
  });

  it('cannot be made for a host that opted out', async () => {
    const answer = await code(asked('hosts/left-alone.example.com/claims', '', 'POST'));
    expect(answer).toEqual([403, 'opted_out', null]);
  });

  it('replaces the oldest unverified claim once there are ten', async () => {
    const claims: NewClaim[] = [];
    for (let i = 0; i < 11; i += 1) claims.push(await begun());
    const statuses = await Promise.all(claims.map(async ({ id, key }) => (await asked(`claims/${id}`, key)).status));
    expect(statuses).toEqual([401, ...Array.from({ length: 10 }, () => 200)]);
  });

  it('has a page that rejects forms of other sites and other keys', async () => {
    const step = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${service.baseUrl}/hosts/${domain}/claim/step`, {
        method: 'POST',
        headers: { accept: 'text/html', ...headers },
        body: new URLSearchParams(fields),
      });
    const elsewhere = await begun('elsewhere.example.com');
    expect((await step({ step: 'begin' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    for (const key of ['', 'hpo_x', elsewhere.key]) {
      const answer = await step({ step: 'check', key });
      const page = await answer.text();
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([401, 'no-store']);
      expect(page).toContain('<h1>Wrong key for this claim.</h1>');
      expect(page).toContain(`action="/hosts/${domain}/claim/step"`);
      expect(page).toMatch(new RegExp(`<input id="key"[^>]* value="${key}" />`));
    }
    const { key } = await begun();
    expect((await step({ step: 'own', key })).status).toBe(400);
    expect((await step({ step: 'probe', key })).status).toBe(403);
    const answer = await step({ step: 'check', key });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  });

  (hasBrowser() ? describe : describe.skip)('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser.close());

    it('can be started, checked, used and ended without a script', async () => {
      const context = await browser.newContext({ viewport: { width: 360, height: 800 }, javaScriptEnabled: false });
      const page = await context.newPage();
      const press = (name: string): Promise<void> => page.getByRole('button', { name }).click();
      await page.goto(`${service.baseUrl}/hosts/${domain}`);
      await page.getByRole('link', { name: 'I own this host' }).click();
      await press('Start a claim');
      const shownAs = (id: string): Promise<string> => page.locator(`#${id}`).innerText();
      const [key, name] = [await shownAs('claim-key'), await shownAs('record-name')];
      expect([key.slice(0, 4), name]).toEqual(['hpo_', `_hostprobe-challenge.${domain}`]);
      for (const known of records) known.add(await shownAs('record-value'));
      const { rows } = await database.query<{ id: string }>('SELECT id FROM claim WHERE domain = $1', [domain]);
      const id = rows[0]!.id;
      for (let seen = 0; seen < 2; seen += 1) await checked({ id, key } as NewClaim);
      await page.goto(`${service.baseUrl}/hosts/${domain}/claim`);
      await page.getByLabel('Claim key').fill(key);
      await press('Show my claim');
      expect(await page.locator('.line').innerText()).toBe('Verified by DNS record.');
      await press(`Probe ${domain}`);
      await page.waitForURL(`${service.baseUrl}/hosts/${domain}`);
      expect(await page.locator('.tile').count()).toBe(12);
      await pass(id, 61);
      await page.goto(`${service.baseUrl}/hosts/${domain}/claim`);
      await page.getByLabel('Claim key').fill(key);
      await press('Show my claim');
      await page.locator('.note', { hasText: 'Checked just now.' }).waitFor();
      expect(await page.locator('.line:visible').innerText()).toBe('Verified by DNS record.');
      await press('End this claim now');
      expect(await page.locator('.line').innerText()).toBe('Ended.');
      await context.close();
    });

    it.each([
      [360, 'dark'],
      [1280, 'light'],
    ] as const)('%i pixels wide, %s, has no serious axe findings and fits', async (width, colorScheme) => {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
      const page = await context.newPage();
      await page.goto(`${service.baseUrl}/hosts/${domain}/claim`);
      const faults = async (): Promise<unknown> => [
        await seriousViolations(page),
        await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
      ];
      expect(await faults()).toEqual([[], true]);
      await page.getByRole('button', { name: 'Start a claim' }).click();
      await page.waitForURL('**/claim/step');
      expect(await faults()).toEqual([[], true]);
      await context.close();
    });
  });
});
