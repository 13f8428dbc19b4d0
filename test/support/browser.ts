import { existsSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type Page } from 'playwright-core';

/** From the Debian package `chromium`. */
const CHROMIUM = '/usr/bin/chromium';

/** Whether the browser tests can run; global-setup prints a message if they cannot. */
export function hasBrowser(): boolean {
  return existsSync(CHROMIUM);
}

/** A browser with a fresh profile that only connects to the pages it is shown. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Never serious, and it takes half of axe's time on a long page. */
const MINOR_AND_SLOW = ['region'];

/**
 * The serious and critical problems that axe finds on a page: rule and location.
 * @param only these rules, for a page that was already checked with all of them
 */
export async function seriousViolations(page: Page, only?: readonly string[]): Promise<readonly string[]> {
  // Our pages have no frames; combining the results of frames would make axe open an extra page each time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (only ? axe.withRules([...only]) : axe.disableRules(MINOR_AND_SLOW)).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}
