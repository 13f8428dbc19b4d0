import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DETECTOR_IDS, type JsonObject } from '@app/detectors';
import { causeOf, REASONS, TLS_WORDS, WALLS, type Cause, type HostReport } from '@app/reports';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, seriousViolations, startBrowser } from '../../../test/support/browser';
import { cell } from '../../../test/support/report';
import { ASSETS } from '../src/pages/layout/assets';
import { CALLING_HEADERS } from '../src/pages/layout/page-response';
import { layout } from '../src/pages/page-registry';
import { hostPage } from '../src/pages/host/host-page';

const WIDTHS = [360, 1_280];
const SCHEMES = ['light', 'dark'] as const;
const AT = '2026-11-22T10:00:00.000Z';

const tls = (failureDetail: string): JsonObject => ({
  reason: 'tls_error',
  evidence: [{ failure: 'tls_error', failureDetail }],
});

/** Every cause that a page can show first. */
const CAUSES: readonly (readonly [name: string, details: JsonObject])[] = [
  ...Object.keys(REASONS).map((reason) => [reason, { reason }] as const),
  ...Object.keys(TLS_WORDS).map((fault) => [`tls_error ${fault}`, tls(fault)] as const),
  ...Object.keys(WALLS).map((wall) => [`bot_challenge ${wall}`, { reason: 'bot_challenge', wall }] as const),
];

function reportOf(details: JsonObject): HostReport {
  const protocols = DETECTOR_IDS.map((id) => cell(id, id === 'acp' ? 'undiscoverable' : 'error', details));
  return {
    domain: 'shop.example.com',
    origin: 'https://shop.example.com',
    probedAt: AT,
    callabilityProbedAt: AT,
    reachable: false,
    ucp: null,
    fixes: [],
    protocols,
    paymentRails: { payable: false, checkedAt: AT, rails: [] },
    cache: { presenceStale: false, callabilityStale: true },
    refresh: {
      priceUsd: 0.02,
      rest: { method: 'GET', url: 'https://probe.example.org/' },
      mcp: { tool: '', path: '' },
    },
  } as unknown as HostReport;
}

(hasBrowser() ? describe : describe.skip)('the page of a host that could not be checked', () => {
  let server: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      const file = ASSETS.find(({ path }) => path === url);
      const [, details] = CAUSES[Number(url.slice(1))] ?? [];
      if (file) response.writeHead(200, { 'content-type': file.type }).end(file.content);
      else if (details) response.writeHead(200, { ...CALLING_HEADERS }).end(pageOf(details));
      else response.writeHead(404).end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    browser = await startBrowser();
    page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  const pageOf = (details: JsonObject): string =>
    layout(
      hostPage({
        report: reportOf(details),
        changes: { changes: [] } as never,
        baseUrl: 'https://probe.example.org',
        contact: null,
        freeProbes: true,
      }),
    );
  const addressOf = (index: number): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${index}`;
  const fits = () => page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

  async function expectCause({ what, remedy, rule, reason }: Cause, on: Page): Promise<void> {
    expect(await on.locator('.summary .line').innerText()).toContain(what);
    const section = on.getByRole('region', { name: 'What to do' });
    expect(await section.innerText()).toContain(remedy);
    if (rule !== undefined) expect(await section.locator('pre').innerText()).toBe(rule);
    expect(await section.getByRole('link', { name: `What does ${reason} mean?` }).isVisible()).toBe(true);
    // What was not found out fills no section.
    const sections = await on.locator('main h2').allInnerTexts();
    expect(sections).toEqual(['What to do', 'Evidence', 'Probe again', 'Badge', 'Use it from code']);
  }

  it.each(CAUSES.map(([name], index) => [name, index] as const))(
    'explains %s and what to do, at every width',
    async (_, index) => {
      await page.goto(addressOf(index));
      const cause = causeOf(reportOf(CAUSES[index]![1]))!;
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        expect([width, await fits()]).toEqual([width, true]);
      }
      await expectCause(cause, page);
    },
  );

  const withRule = CAUSES.findIndex(([name]) => name === 'bot_challenge cloudflare');

  it.each(SCHEMES)('has no axe findings in the %s scheme, with all cells open', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: WIDTHS[0]!, height: 800 });
    await page.goto(addressOf(withRule));
    await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
    expect([await seriousViolations(page), await fits()]).toEqual([[], true]);
  });

  it('says the same without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(addressOf(withRule));
    await expectCause(causeOf(reportOf(CAUSES[withRule]![1]))!, plain);
    await plain.getByText('10 of 11 protocols could not be checked').click();
    await plain.locator('.cell-evidence summary').first().click();
    expect(await plain.getByRole('link', { name: 'What to do' }).first().isVisible()).toBe(true);
    await context.close();
  });

  it('keeps its borders and lines with forced colors', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(addressOf(withRule));
    await page.getByText('10 of 11 protocols could not be checked').click();
    const colourOf = (selector: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
    expect(await colourOf('.line', 'borderLeftColor')).not.toMatch(/^rgba\(.*, 0\)$/);
    expect(await colourOf('.cell-evidence .mark', 'color')).toBe(await colourOf('body', 'color'));
    expect(await seriousViolations(page)).toEqual([]);
  });
});
