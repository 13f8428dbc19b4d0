// Takes screenshots of five pages for docs/images/ from a service started with `npm start`. Usage: node
// scripts/screenshots.mjs [running.json [directory]]. Install the font Inter (fonts-inter) first, which the pages use.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { chromium } from 'playwright-core';

const running = JSON.parse(readFileSync(process.argv[2] ?? '.data/running.json', 'utf8'));
const OUT = process.argv[3] ?? 'docs/images';
const STORE = 'full-store.example.com';

const WIDE = { width: 1180, height: 860 };
const PHONE = { width: 390, height: 844 };
const PICTURES = [
  { name: 'start', path: '/', viewport: WIDE, colorScheme: 'light' },
  { name: 'host', path: `/hosts/${STORE}`, viewport: WIDE, colorScheme: 'light' },
  { name: 'host-evidence-dark', path: `/hosts/${STORE}`, viewport: WIDE, colorScheme: 'dark', open: 'x402' },
  { name: 'host-phone', path: '/hosts/html-everywhere.example.com', viewport: PHONE, colorScheme: 'light' },
  { name: 'pricing-phone-dark', path: '/pricing', viewport: PHONE, colorScheme: 'dark' },
];

/** Inserts a change history once, because the demo hosts never change. */
async function giveHistory() {
  const client = new pg.Client({ connectionString: running.database });
  await client.connect();
  const { rows } = await client.query('SELECT 1 FROM change_event WHERE domain = $1', [STORE]);
  const history = [
    [31, 'llms', 'appeared', 'llms is present'],
    [24, 'x402', 'appeared', 'x402 is present, version 2'],
    [17, 'mcp', 'degraded', 'mcp is partial'],
    [12, 'x402', 'price_changed', `GET https://${STORE}/api/products costs 0.01 USD`],
    [9, 'mcp', 'recovered', 'mcp is present'],
  ];
  for (const [daysAgo, ...event] of rows.length > 0 ? [] : history) {
    await client.query(
      `INSERT INTO change_event (domain, at, protocol, kind, summary) VALUES ($1, now() - $2 * interval '1 day', $3, $4, $5)`,
      [STORE, daysAgo, ...event],
    );
  }
  await client.end();
}

const probe = (name) =>
  fetch(`${running.gateway}/api/v1/hosts/${name}.example.com`, { headers: { prefer: 'wait=10' } });

await giveHistory();
await Promise.all(['api-only', 'bare', 'html-everywhere', 'rate-limited', 'bot-wall'].map(probe));

const profile = mkdtempSync(join(tmpdir(), 'hostprobe-chromium-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
});
for (const { name, path, viewport, colorScheme, open } of PICTURES) {
  const page = await context.newPage();
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.goto(`${running.gateway}${path}`);
  if (open) await page.click(`.tile a[href="#${open}"]`);
  await page.screenshot({ path: join(OUT, `${name}.png`) });
  await page.close();
}
await context.close();
rmSync(profile, { recursive: true, force: true });
