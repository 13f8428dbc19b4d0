import { page, type Layout } from './layout/page';
import { apiReference } from './api-reference-page';
import { asset, siteIcon, siteMap } from './page-files';
import { checkReport } from './check-page';
import { claimPage, claimStep } from './claim-page';
import { errorCode, errorIndex } from './error-code-pages';
import { atomFeed, badge, hostPage, jsonFeed, preview, probe, probeProgress, search } from './host-pages';
import { LEGAL_PAGES } from './legal-pages';
import type { PageDefinition } from './page-definition';
import { payable } from './payable-page';
import { pricing } from './pricing-page';
import { aboutProber, egress, signingKeys } from './prober-page';
import { reasonIndex } from './reason-page';
import { start } from './start-page';

const BUT_SITEMAP: readonly PageDefinition[] = [
  start,
  search,
  hostPage,
  probe,
  probeProgress,
  claimPage,
  claimStep,
  atomFeed,
  jsonFeed,
  badge,
  preview,
  payable,
  pricing,
  checkReport,
  errorIndex,
  errorCode,
  reasonIndex,
  apiReference,
  ...LEGAL_PAGES,
  asset,
  siteIcon,
  signingKeys,
  aboutProber,
  egress,
];

/** Every page and every file that pages load, in the order of the OpenAPI document. */
export const PAGES: readonly PageDefinition[] = [...BUT_SITEMAP, siteMap(BUT_SITEMAP)];

/** The links in the header and footer of every page. A page that is in neither list must be linked from another page. */
const HEADER = [
  [payable.path, payable.summary],
  [pricing.path, 'Pricing'],
  [apiReference.path, 'API'],
] as const;
const FOOTER = [
  [aboutProber.path, 'About the prober'],
  [errorIndex.path, 'Errors'],
  [reasonIndex.path, reasonIndex.summary],
  [checkReport.path, checkReport.summary],
  [pricing.path, 'Pricing'],
  [apiReference.path, 'API reference'],
  ...LEGAL_PAGES.map(({ path, summary }) => [path, summary] as const),
] as const;

export const layout: Layout = (content) => page(content, HEADER, FOOTER);
