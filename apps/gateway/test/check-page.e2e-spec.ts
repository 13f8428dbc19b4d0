import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createPrivateKey } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningKey, KEYS_PATH, signJws, type KeySet, type StatementMembers } from '@app/signing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { hasBrowser, seriousViolations, startBrowser } from '../../../test/support/browser';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { verified } from '../../../test/support/verified';

const HOST = '/api/v1/hosts/shop.example.com';

(hasBrowser() ? describe : describe.skip)('the page for verifying a report', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-check-'));
  const written = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  let shop: TestHost;
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let claims: StatementMembers;
  let bundle: Buffer;
  let files: { statement: string; keys: string; bundle: string; report: string };
  let troubles: string[];

  const textOf = async (path: string): Promise<string> => (await fetch(`${service.baseUrl}${path}`)).text();

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n\nLämps\n') });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [shop.as('shop.example.com')],
      env: { FREE_PRESENCE_PROBE: 'off' },
    });
    await service.admitted();
    await (await newPayer()).fetch(`${service.baseUrl}${HOST}/refresh`);
    const [token, keys] = [await textOf(`${HOST}/statement`), await textOf(KEYS_PATH)];
    claims = await verified(token, { issuer: service.baseUrl, keys: JSON.parse(keys) as KeySet });
    bundle = Buffer.from(await textOf(`${HOST}/evidence/${claims.evidence!.root}`));
    files = {
      statement: written('statement.jwt', token),
      keys: written('keys.json', keys),
      bundle: written('bundle.jsonl', bundle),
      report: written('report.json', await textOf(new URL(claims.report!.uri).pathname)),
    };
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await shop.close();
  });
  afterEach(() => context.close());

  async function open(path = '/verify', options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    context = await browser.newContext(options);
    page = await context.newPage();
    troubles = [];
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(error.message));
    await page.goto(`${service.baseUrl}${path}`);
  }

  /** Checks files in a browser without a network; returns the name of the fault, or `ok`. */
  async function check(given: Partial<typeof files>): Promise<string | null> {
    await open();
    await page.locator('#files').waitFor({ state: 'visible' });
    await context.setOffline(true);
    page.on('request', (request) => troubles.push(request.url()));
    for (const [name, file] of Object.entries(given)) await page.locator(`#${name}`).setInputFiles(file);
    await page.getByRole('button', { name: 'Verify files' }).click();
    await page.locator('#outcome[data-fault]').waitFor();
    expect(troubles).toEqual([]);
    return page.locator('#outcome').getAttribute('data-fault');
  }

  it('verifies that statement, bundle and report belong together, without a network', async () => {
    expect(await check(files)).toBe('ok');
    const outcome = await page.locator('#outcome').innerText();
    expect(outcome).toContain('the bundle is the one that was signed');
    expect(outcome).toMatch(/llms\s+present/);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.locator('main').innerText()).toContain('This page checks signatures and hashes only');
  });

  it('links from a statement to its bundle and report', async () => {
    const { statement, keys } = files;
    expect(await check({ statement, keys })).toBe('ok');
    const outcome = await page.locator('#outcome').innerText();
    expect(outcome).toContain(`${HOST}/evidence/${claims.evidence!.root}`);
    expect(outcome).toContain(claims.report!.uri);
  });

  it.each([
    ['a line', 'root', () => bundle.indexOf('"status":200') + 10],
    ['a body', 'body', () => bundle.lastIndexOf('Lämps') + 1],
  ])('rejects a bundle with one changed byte in %s', async (_, fault, at) => {
    const changed = Buffer.from(bundle);
    changed[at()]! ^= 1;
    expect(await check({ ...files, bundle: written('changed.jsonl', changed) })).toBe(fault);
  });

  it('rejects a report other than that of the statement', async () => {
    expect(await check({ ...files, report: files.bundle })).toBe('bytes');
  });

  it.each([
    ['signed with another key', 'signature', () => claims],
    ['signed under another key id', 'unknown_kid', () => claims],
  ])('refuses a statement %s', async (_, fault, said) => {
    const { keys } = JSON.parse(await textOf(KEYS_PATH)) as KeySet;
    const kid = fault === 'signature' ? keys[0]!.kid : 'stranger';
    const forged = signJws(said(), 'hostprobe-report+jwt', { kid, key: createPrivateKey(newSigningKey()) });
    expect(await check({ ...files, statement: written('forged.jwt', forged) })).toBe(fault);
  });

  it('rejects invalid statements and keys', async () => {
    expect(await check({ ...files, statement: files.report })).toBe('not_a_statement');
    expect(await check({ ...files, keys: files.report })).toBe('keys');
  });

  /** Verifies what the service publishes about a host; the name of what is wrong, or `ok`. */
  async function verifyHost(path = '/verify?host=shop.example.com'): Promise<string | null> {
    await page.goto(`${service.baseUrl}${path}`);
    await page.locator('#published[data-fault]').waitFor();
    return page.locator('#published').getAttribute('data-fault');
  }

  it.each(
    [360, 768, 1280].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))),
  )('verifies what the service publishes about a host, step by step: $width, $colorScheme', async (look) => {
    await open('/hosts/shop.example.com', {
      viewport: { width: look.width, height: 800 },
      colorScheme: look.colorScheme,
    });
    await page.getByRole('link', { name: 'verify it' }).click();
    await page.locator('#published[data-fault="ok"]').waitFor();
    const steps = await page.locator('.steps li').allInnerTexts();
    expect(steps).toEqual([
      `${service.baseUrl} signed the statement, with a key that it publishes.`,
      expect.stringMatching(
        /^The statement is about https:\/\/shop\.example\.com, as seen on \d+ \w+ \d{4} at .* UTC \(/,
      ),
      expect.stringMatching(/^The evidence is complete and unchanged: \d+ requests and \d+ response bodies\.$/),
      'The report is the one that the statement refers to, byte for byte.',
    ]);
    expect(await page.getByLabel('Host name', { exact: true }).last().inputValue()).toBe('shop.example.com');
    const faults = [
      await seriousViolations(page),
      await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
    ];
    expect([...faults, troubles]).toEqual([[], true, []]);
  });

  it('offers the very files that it verified, for the command line', async () => {
    await open();
    expect(await verifyHost()).toBe('ok');
    for (const [name, file] of [
      ['statement.jwt', files.statement],
      ['keys.json', files.keys],
      ['evidence.jsonl', files.bundle],
      ['report.json', files.report],
    ] as const) {
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name, exact: true }).click();
      const saved = await download;
      expect(saved.suggestedFilename()).toBe(`shop.example.com-${name}`);
      expect(readFileSync(await saved.path()).equals(readFileSync(file))).toBe(true);
    }
    expect(await page.locator('#published pre').innerText()).toContain(
      'npx hostprobe verify shop.example.com-evidence.jsonl --statement shop.example.com-statement.jwt',
    );
    expect(troubles).toEqual([]);
  });

  it('says at which step another bundle or report is found', async () => {
    await open();
    const changed = Buffer.from(bundle);
    changed[bundle.indexOf('"status":200') + 10]! ^= 1;
    await page.route('**/evidence/*', (route) => route.fulfill({ body: changed }));
    expect(await verifyHost()).toBe('root');
    expect(await page.locator('.steps li').count()).toBe(2);
    await page.unroute('**/evidence/*');
    await page.route('**/reports/*', (route) => route.fulfill({ body: '{}' }));
    expect(await verifyHost()).toBe('bytes');
    expect(await page.locator('.steps li').count()).toBe(3);
  });

  it('says of a host without a report what is missing, and leads to its page', async () => {
    await open();
    expect(await verifyHost('/verify?host=other.example.com')).toBe('host_not_probed');
    expect(await page.locator('#published').innerText()).toContain('This host has not been probed yet.');
    await page.getByRole('link', { name: 'See the report for other.example.com' }).click();
    await page.waitForURL('**/hosts/other.example.com');
  });

  it.each([
    ['localhost', 'is not a public host name'],
    ['"><script>alert(1)</script>', 'host name'],
  ])('keeps %s in its field and says what is wrong with it', async (host, sentence) => {
    await open();
    const answer = await page.goto(`${service.baseUrl}/verify?${new URLSearchParams({ host }).toString()}`);
    expect(answer?.status()).toBe(400);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(sentence);
    expect(await page.locator('main').getByLabel('Host name').inputValue()).toBe(host);
    await page.locator('main').getByLabel('Host name').fill('shop.example.com');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.locator('#published[data-fault="ok"]').waitFor();
  });

  it('shows the command without a script, and runs nothing else', async () => {
    await open('/verify?host=shop.example.com', { javaScriptEnabled: false });
    expect(await page.locator('#files').isVisible()).toBe(false);
    expect(await page.locator('main').innerText()).toMatch(
      /needs JavaScript[^]*npx hostprobe verify shop.example.com --url http/,
    );
    const answer = await fetch(`${service.baseUrl}/verify`);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; [^;]*; script-src 'self';/);
    expect(await answer.text()).not.toMatch(/<script(?![^>]* src="\/assets\/)/);
  });
});
