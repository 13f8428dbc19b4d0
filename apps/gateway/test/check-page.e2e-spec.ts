import { mkdtempSync, writeFileSync } from 'node:fs';
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

  async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    context = await browser.newContext(options);
    page = await context.newPage();
    troubles = [];
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(error.message));
    await page.goto(`${service.baseUrl}/verify`);
  }

  /** Checks files in a browser without a network; returns the name of the fault, or `ok`. */
  async function check(given: Partial<typeof files>): Promise<string | null> {
    await open();
    await page.locator('#check').waitFor({ state: 'visible' });
    await context.setOffline(true);
    page.on('request', (request) => troubles.push(request.url()));
    for (const [name, file] of Object.entries(given)) await page.locator(`#${name}`).setInputFiles(file);
    await page.getByRole('button', { name: 'Verify' }).click();
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
    expect(await page.locator('main').innerText()).toContain('This page checks signatures only');
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

  it('shows the command without a script, and runs nothing else', async () => {
    await open({ javaScriptEnabled: false });
    expect(await page.locator('#check').isVisible()).toBe(false);
    expect(await page.locator('main').innerText()).toMatch(/needs JavaScript[^]*npx hostprobe verify/);
    const answer = await fetch(`${service.baseUrl}/verify`);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; [^;]*; script-src 'self';/);
    expect(await answer.text()).not.toMatch(/<script(?![^>]* src="\/assets\/)/);
    expect(await textOf('/hosts/shop.example.com')).toContain('<a href="/verify">');
  });
});
