import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHAINS } from '@app/networks';
import type { HostReport } from '@app/reports';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startDemoHosts, type DemoHosts } from '../../standalone/src/demo/demo-hosts';
import { x402Challenge } from '../../standalone/src/demo/priced-route';
import { hasBrowser, seriousViolations, startBrowser } from '../../../test/support/browser';
import { EVIL_TEXT } from '../../../test/support/hostile-text';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { until } from '../../../test/support/until';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { backends } from '../../../test/support/stack';

/** The narrowest common screen. */
const PHONE = { width: 360, height: 780 };
const DESKTOP = { width: 1280, height: 900 };
const PROBES = [
  { name: 'a phone at night', viewport: PHONE, colorScheme: 'dark', rules: undefined },
  // Of axe's rules, only those about colors can differ from the phone.
  { name: 'a desktop in light colors', viewport: DESKTOP, colorScheme: 'light', rules: ['color-contrast'] },
] as const;

/** Hosts that hold an answer, so that a probe is under way for as long as a test wants. */
const HELD = ['held-360.example.com', 'held-1280.example.com', 'held.example.com'];

const MONEY = { network: CHAINS['eip155:8453'], payTo: '0x1111111111111111111111111111111111111111' } as const;

const evilManifest = JSON.stringify({
  schema_version: 'v1',
  name_for_human: EVIL_TEXT,
  name_for_model: EVIL_TEXT,
  description_for_human: EVIL_TEXT,
  description_for_model: EVIL_TEXT,
  api: { type: 'openapi', url: 'https://evil.example.com/openapi.json' },
});
const evilDescription = JSON.stringify({ openapi: '3.1.0', info: { title: EVIL_TEXT, version: EVIL_TEXT }, paths: {} });

(hasBrowser() ? describe : describe.skip)('in a browser', () => {
  let demo: DemoHosts;
  let hosts: readonly TestHost[];
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let troubles: string[];
  let held: TestHost;
  let letGo: () => void;
  let gate: Promise<void>;

  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hostprobe-demo-'));
    demo = await startDemoHosts(MONEY, dir);
    const caFile = join(dir, 'both.pem');
    writeFileSync(caFile, [demo.caFile, await testCaFile()].map((file) => readFileSync(file, 'utf8')).join('\n'));
    let mapped = false;
    const moving = await startTestHost({
      '/': (request, response) => {
        const priced = { url: 'https://moving.example.com/', description: 'A priced page', ...MONEY };
        const { headers, body } = x402Challenge({ ...priced, amountAtomic: mapped ? 30_000n : 10_000n });
        says(body, headers, 402)(request, response);
      },
      '/llms.txt': (request, response) => {
        says(mapped ? '# Shop\n' : 'nothing', {}, mapped ? 200 : 404)(request, response);
      },
    });
    const evil = await startTestHost({
      '/llms.txt': says(`# ${EVIL_TEXT}\n`, { 'content-type': 'text/plain' }),
      '/.well-known/ai-plugin.json': says(evilManifest, { 'content-type': 'application/json' }),
      '/openapi.json': says(evilDescription, { 'content-type': 'application/json' }),
    });
    held = await startTestHost({
      '/llms.txt': (request, response) => {
        void gate.then(() => {
          says('# Shop\n')(request, response);
        });
      },
    });
    hosts = [moving, evil, held];
    service = await startService({
      backend: backends()[0] ?? 'postgres',
      connectTo: [
        ...demo.connectTo.split(','),
        moving.as('moving.example.com'),
        evil.as('evil.example.com'),
        ...HELD.map((name) => held.as(name)),
      ],
      caFile,
      // All hosts here are of one site.
      env: { FREE_PROBES_PER_SITE_DAY: '20', TARGET_REQUESTS_PER_MIN: '1000' },
    });
    await service.admitted();
    const payer = await newPayer();
    await payer.fetch(`${service.baseUrl}/api/v1/hosts/moving.example.com/refresh`);
    mapped = true;
    await payer.fetch(`${service.baseUrl}/api/v1/hosts/moving.example.com/refresh`);
    for (const name of ['html-everywhere', 'evil']) {
      const lookup = `${service.baseUrl}/api/v1/hosts/${name}.example.com`;
      await fetch(lookup, { headers: { prefer: 'wait=10' } });
    }
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await Promise.all([demo.stop(), ...hosts.map((host) => host.close())]);
  });
  afterEach(() => context.close());

  const open = async (path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<void> => {
    context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    page = await context.newPage();
    troubles = [];
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push(dialog.message());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(service.baseUrl)) troubles.push(request.url());
    });
    await page.goto(`${service.baseUrl}${path}`);
  };

  /** Has the hosts of that name hold an answer until `letGo`. */
  const hold = (): void => {
    gate = new Promise((resolve) => (letGo = resolve));
  };

  const report = async (name: string): Promise<HostReport> =>
    (await fetch(`${service.baseUrl}/api/v1/hosts/${name}.example.com`)).json() as Promise<HostReport>;

  describe.each(PROBES)('on $name', ({ viewport, colorScheme, rules }) => {
    const fits = async () =>
      page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

    it('a host is searched from the start page, and its evidence is opened', async () => {
      await open('/', { viewport, colorScheme });
      expect([await seriousViolations(page, rules), await fits()]).toEqual([[], true]);
      await page.getByRole('textbox', { name: 'Host name' }).fill('https://WWW.full-store.example.com/anything');
      await page.getByRole('button', { name: 'Check' }).click();
      await page.waitForURL('**/hosts/full-store.example.com');
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('full-store.example.com');
      const button = page.getByRole('button', { name: 'Probe now, free' });
      if (await button.isVisible()) {
        expect([await seriousViolations(page, rules), await fits()]).toEqual([[], true]);
        await button.click();
      }
      await page.locator('.tile').first().waitFor();
      expect(await page.locator('.tile').count()).toBe(12);

      const evidence = page.locator('#llms .exchange').first();
      expect(await evidence.isVisible()).toBe(false);
      await page.locator('.tile', { hasText: 'llms.txt' }).getByRole('link').click();
      await evidence.waitFor({ state: 'visible' });
      expect(await evidence.innerText()).toContain('https://full-store.example.com/llms.txt');
      expect([await seriousViolations(page, rules), await fits(), troubles]).toEqual([[], true, []]);
    });

    it('a probe shows its progress, and then its report', async () => {
      const name = `held-${viewport.width}.example.com`;
      hold();
      await open(`/hosts/${name}`, { viewport, colorScheme });
      await page.getByRole('button', { name: 'Probe now, free' }).click();
      await page.getByRole('heading', { name: `Probing ${name}` }).waitFor();
      await page.locator('#probing', { hasText: /^[1-9]\d* of 11 protocols$/ }).waitFor();
      expect([await seriousViolations(page, rules), await fits()]).toEqual([[], true]);
      letGo();
      await page.waitForURL(`**/hosts/${name}`);
      expect([await page.locator('.tile').count(), troubles]).toEqual([12, []]);
    });

    it('a fix is copied, as text and as a prompt', async () => {
      await open('/hosts/html-everywhere.example.com', {
        viewport,
        colorScheme,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      const { fixes } = await report('html-everywhere');
      const fix = fixes.find(({ id }) => id === 'llms.partial')!;
      const advice = page.locator('.fix', { hasText: fix.problem });
      await advice.locator('summary').first().click();
      await advice.getByRole('button', { name: 'Copy fix' }).click();
      await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(fix.fix);
      await advice.getByRole('button', { name: 'Copy prompt for a coding agent' }).click();
      await page.waitForFunction(
        `navigator.clipboard.readText().then((text) => text.startsWith('You have the source'))`,
      );
      expect([await seriousViolations(page, rules), await fits(), troubles]).toEqual([[], true, []]);
    });

    it('a change can be followed from the chart to its text', async () => {
      await open('/hosts/moving.example.com', { viewport, colorScheme });
      await page.getByRole('link', { name: /llms\.txt now available/ }).click();
      const words = page.locator('.changes li:target');
      expect(await words.innerText()).toMatch(/llms\.txt now available/);
      expect(
        await page.evaluate(`document.querySelector('.changes li:target').getBoundingClientRect().top < innerHeight`),
      ).toBe(true);
      expect(await page.locator('.timeline .lane:not(.price)').count()).toBe(11);
      expect(await page.locator('.timeline .cost').allTextContents()).toEqual(['', '0.03 USD']);
      expect(await page.getByRole('list', { name: 'Legend' }).innerText()).toMatch(/^\s*present\s+partial\s+absent/);
      expect([await seriousViolations(page, rules), await fits(), troubles]).toEqual([[], true, []]);
    });

    it.each([
      '/payable?network=base',
      '/pricing',
      '/docs',
      '/terms',
      '/privacy',
      '/data-licence',
      '/errors',
      '/errors/payment_required',
      '/hosts/never.example.com',
      '/hosts/localhost',
      '/prober',
    ])('%s is readable', async (path) => {
      await open(path, { viewport, colorScheme });
      expect([await seriousViolations(page, rules), await fits()]).toEqual([[], true]);
    });
  });

  it.each([
    ['/', 20_000],
    ['/hosts/full-store.example.com', 20_000],
    ['/docs', 300_000],
    ['/verify', 80_000],
  ])('%s with everything it loads has at most %d bytes on the wire', async (path, most) => {
    await open('/errors');
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(`${service.baseUrl}${path}`, { waitUntil: 'networkidle' });
    expect(bytes).toBeGreaterThan(5_000);
    expect(bytes).toBeLessThanOrEqual(most);
  });

  it('a payable host is found and opened without a script', async () => {
    await open('/', { javaScriptEnabled: false, viewport: PHONE });
    await page.getByRole('link', { name: 'Payable hosts' }).click();
    await page.getByLabel('Name or URL contains').fill('moving');
    await page.getByRole('combobox', { name: 'Protocol' }).selectOption('x402');
    await page.getByRole('button', { name: 'Show hosts' }).click();
    expect(await page.getByRole('combobox', { name: 'Protocol' }).inputValue()).toBe('x402');
    await page.getByRole('combobox', { name: 'Network' }).selectOption('Base');
    await page.getByRole('button', { name: 'Show hosts' }).click();
    await page.getByRole('link', { name: 'Price' }).click();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      query: 'moving',
      network: 'eip155:8453',
      sort: 'price',
    });
    expect(await page.getByRole('columnheader', { name: 'Price' }).getAttribute('aria-sort')).toBe('ascending');
    await page.getByRole('link', { name: 'moving.example.com' }).click();
    expect([new URL(page.url()).pathname, troubles]).toEqual(['/hosts/moving.example.com', []]);
  });

  it('everything but copying works without a script', async () => {
    await open('/', { javaScriptEnabled: false });
    await page.getByRole('textbox', { name: 'Host name' }).fill('html-everywhere.example.com');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/hosts/html-everywhere.example.com');
    await page.locator('.fix summary').first().click();
    expect(await page.locator('.fix pre').first().isVisible()).toBe(true);
    expect(await page.locator('button.copy').first().isVisible()).toBe(false);
  });

  it('the button on a page probes the host, also without a script', async () => {
    await open('/hosts/bare.example.com', { javaScriptEnabled: false });
    expect(await page.locator('.tile').count()).toBe(0);
    await page.getByRole('button', { name: 'Probe now, free' }).click();
    await page.locator('.tile').first().waitFor();
    expect([new URL(page.url()).pathname, await page.locator('.tile').count()]).toEqual([
      '/hosts/bare.example.com',
      12,
    ]);
    expect(await page.getByRole('button', { name: 'Probe now, free' }).count()).toBe(0);
  });

  it('a probe shows its progress without a script', async () => {
    hold();
    await open('/hosts/held.example.com', { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Probe now, free' }).click();
    await page.locator('#probing', { hasText: /[1-9]\d* of 11 protocols/ }).waitFor();
    letGo();
    await page.waitForURL('**/hosts/held.example.com');
    expect(await page.locator('.tile').count()).toBe(12);
  });

  it('a host is probed without being listed if the visitor asks for that', async () => {
    const listed = async () => (await fetch(`${service.baseUrl}/`)).text();
    await open('/hosts/api-only.example.com', { javaScriptEnabled: false, viewport: PHONE });
    await page.getByRole('button', { name: 'Probe without listing it on the start page' }).click();
    await page.locator('.tile').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/hosts/api-only.example.com');
    await until('a list that is newer', async () => (await listed()).includes('/hosts/bare.example.com'));
    expect(await listed()).not.toContain('/hosts/api-only.example.com');
  });

  it('is fully usable with the keyboard, with visible focus', async () => {
    await open('/hosts/html-everywhere.example.com', { viewport: DESKTOP });
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
  });

  it('a hostile host runs nothing and loads nothing', async () => {
    await open('/hosts/evil.example.com');
    expect((await report('evil')).protocols.find(({ id }) => id === 'openapi')?.status).toBe('present');
    await page.evaluate(`document.querySelectorAll('details').forEach((details) => { details.open = true; })`);
    expect(await page.getByText('window.owned=1').count()).toBeGreaterThan(0);
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect(await page.locator('main script, main img:not(.badge), main a[href^="javascript"]').count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  it.each([true, false])('the API reference leads to a call and back, script: %s', async (javaScriptEnabled) => {
    await open('/docs', { viewport: PHONE, javaScriptEnabled });
    await page.getByRole('link', { name: 'Probe a host now', exact: true }).click();
    expect(await page.getByText('Costs 0.02 USDC per call, over x402.').first().isVisible()).toBe(true);
    await page.getByRole('link', { name: 'hostprobe', exact: true }).click();
    expect(new URL(page.url()).pathname).toBe('/');
    expect(troubles).toEqual([]);
  });
});
