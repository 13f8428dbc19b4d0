import { existsSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type Page } from 'playwright-core';

/** Debian's, from its package `chromium`. */
const CHROMIUM = '/usr/bin/chromium';

/** Whether the browser tests can run; global-setup says aloud when they cannot. */
export function hasBrowser(): boolean {
  return existsSync(CHROMIUM);
}

/** A browser with a fresh profile that talks to the pages it is shown and to nothing else. */
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

/** Never serious, and half of the time that axe takes for a long page. */
const MINOR_AND_SLOW = ['region'];

/**
 * What axe finds wrong with a page and calls serious or critical: the rule, and where.
 * @param only these rules, for a page that was tried by all of them in another look
 */
export async function seriousViolations(page: Page, only?: readonly string[]): Promise<readonly string[]> {
  // Our pages have no frames; to put the results of frames together axe opens a page of its own each time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (only ? axe.withRules([...only]) : axe.disableRules(MINOR_AND_SLOW)).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}
