import type { HostReport } from '@app/reports';
import type { Browser, Page } from 'playwright-core';
import { hasBrowser, seriousViolations, startBrowser } from '../../../test/support/browser';
import { newPayer, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const HOST = 'shop.example.com';
const PAGE = `/hosts/${HOST}`;

/** A browser wallet (EIP-1193): the page sees only `request`; the key stays outside. */
const PROVIDER = `
  window.asked = [];
  window.ethereum = { request: async ({ method, params }) => {
    window.asked.push(method);
    const { fault, value } = await window.walletOf(method, JSON.stringify(params ?? []));
    if (fault) throw Object.assign(new Error('of the wallet'), { code: fault });
    return value;
  } };`;

(hasBrowser() ? describe : describe.skip)('a probe paid from a browser', () => {
  let open: () => void = () => undefined;
  let isHeld = true;
  let shop: TestHost;
  let service: Service;
  let browser: Browser;
  let page: Page;
  let payer: Payer;
  let troubles: string[];

  beforeAll(async () => {
    shop = await startTestHost({
      '/llms.txt': (request, response) => {
        const held = isHeld ? new Promise<void>((resolve) => (open = resolve)) : Promise.resolve();
        void held.then(() => {
          says('# Shop\n')(request, response);
        });
      },
    });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [shop.as(HOST)],
      env: { FREE_PRESENCE_PROBE: 'off' },
    });
    await service.admitted();
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
    await shop.close();
  });
  beforeEach(async () => {
    payer = await newPayer();
    isHeld = true;
  });
  afterEach(() => page.context().close());

  /** @param faults the error codes with which the wallet rejects methods */
  async function openPage(faults: Readonly<Record<string, number>> = {}, hasWallet = true): Promise<void> {
    page = await (await browser.newContext({ viewport: { width: 360, height: 780 } })).newPage();
    troubles = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('402 (Payment Required)'))
        troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    await page.exposeFunction('walletOf', async (method: string, params: string) => {
      if (faults[method] !== undefined) return { fault: faults[method] };
      if (method === 'eth_requestAccounts') return { value: [payer.account.address] };
      if (method === 'eth_chainId') return { value: '0x1' };
      if (method === 'wallet_switchEthereumChain') return { value: null };
      const [, data] = JSON.parse(params) as [string, string];
      return { value: await payer.account.signTypedData(JSON.parse(data) as never) };
    });
    if (hasWallet) await page.addInitScript(PROVIDER);
    await page.goto(`${service.baseUrl}${PAGE}`);
    await page.evaluate('window.sameDocument = true');
  }
  const button = () => page.getByRole('button', { name: 'Pay $0.02 with your browser wallet' });
  const said = () => page.locator('#pay-said').innerText();
  const saidSoon = (what: RegExp) => until(`the page says ${what}`, async () => what.test(await said()));

  it.each([
    ['eth_requestAccounts', 4001, 'You declined the payment. Nothing was paid.'],
    ['eth_signTypedData_v4', 4001, 'You declined the payment. Nothing was paid.'],
    ['wallet_switchEthereumChain', 4902, 'Your wallet does not support the payment network. Nothing was paid.'],
  ])('is not paid if the wallet refuses %s', async (method, code, sentence) => {
    await openPage({ [method]: code });
    await button().click();
    await saidSoon(/Nothing was paid/);
    expect(await said()).toBe(sentence);
    expect([await button().isEnabled(), await payer.balance(), troubles]).toEqual([true, 1_000_000n, []]);
  });

  it('is not paid if the price differs from the one on the page', async () => {
    await openPage();
    await page.evaluate(`document.getElementById('pay').dataset.price = '0.01'`);
    await button().click();
    await saidSoon(/price has changed/);
    expect([await page.evaluate('window.asked'), await payer.balance()]).toEqual([[], 1_000_000n]);
  });

  it("shows the service's error if the wallet has no money", async () => {
    payer = await newPayer(0n);
    await openPage();
    await button().click();
    await until('an answer', async () => button().isEnabled());
    expect(await said()).toMatch(/^[A-Z].*(?:funds|balance)/);
  });

  it('shows its progress, and its report replaces the page without a reload', async () => {
    await openPage();
    expect(await page.getByText('Not probed yet.').isVisible()).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
    await button().click();
    await saidSoon(/^Checking .*\bllms\b/);
    expect(await button().isEnabled()).toBe(false);
    open();
    await page.locator('.tile').first().waitFor();
    await saidSoon(/Report updated\. You paid \$0\.02 \(transaction 0x[0-9a-f]{64}\)\./);
    expect(await payer.balance()).toBe(980_000n);
    expect(await page.evaluate('[window.sameDocument, document.activeElement.id, window.asked]')).toEqual([
      true,
      'main',
      ['eth_requestAccounts', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_signTypedData_v4'],
    ]);
    const report = (await (await fetch(`${service.baseUrl}/api/v1/hosts/${HOST}`)).json()) as HostReport;
    expect(await page.locator('time').first().getAttribute('datetime')).toBe(report.probedAt);
    expect(await page.locator('time').first().innerText()).toMatch(/^(?:just now|\d+ minutes? ago)$/);
    const transaction = page.locator('#pay-said').getByRole('link', { name: /^0x/ });
    expect(await transaction.getAttribute('href')).toMatch(/^https:\/\/\S+\/tx\/0x[0-9a-f]{64}$/);
    expect(await page.locator('button.copy').first().isVisible()).toBe(true);
    expect([await seriousViolations(page), troubles]).toEqual([[], []]);

    isHeld = false;
    await button().click(); // The button of the new content.
    await until('the second payment', async () => (await payer.balance()) === 960_000n);
    await saidSoon(/Report updated/);
  });

  it('is not offered without a wallet', async () => {
    await openPage({}, false);
    expect([await page.locator('#pay').isVisible(), troubles]).toEqual([false, []]);
  });

  it('can only connect to this service', async () => {
    const answer = await fetch(`${service.baseUrl}${PAGE}`);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*; connect-src 'self'$/);
  });
});
