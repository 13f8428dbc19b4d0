import type { DnsQuestion } from '../evidence/dns';
import type { ProbeRequest } from '../evidence/exchange';
import { agentSkills } from './agent-skills';
import { agentsMd } from './agents-md';
import { aid } from './aid';
import { aipref } from './aipref';
import { anp } from './anp';
import { apiCatalog } from './api-catalog';
import { ard } from './ard';
import { contentSignals } from './content-signals';
import { dnsAid } from './dns-aid';
import { erc8004 } from './erc8004';
import { nlweb } from './nlweb';
import { oauthProtectedResource } from './oauth-protected-resource';
import { rsl } from './rsl';
import type { SignalDefinition } from './signal';
import { webmcp } from './webmcp';

/** Every signal, in the order of the report. Those that need requests of their own are asked in this order, too. */
export const SIGNALS: readonly SignalDefinition[] = [
  ard,
  apiCatalog,
  oauthProtectedResource,
  agentSkills,
  webmcp,
  contentSignals,
  rsl,
  aipref,
  erc8004,
  anp,
  agentsMd,
  nlweb,
  aid,
  dnsAid,
];

/** The document that crawlers read first; a redirect to it counts as the file itself (RFC 9309 section 2.3.1.2). */
export const ROBOTS: ProbeRequest = {
  method: 'GET',
  url: '/robots.txt',
  accept: 'text/plain, */*;q=0.1',
  // What a crawler reads of it at least (section 2.5).
  maxBytes: 512 * 1024,
  optional: true,
};

/** What signals ask of a host beside what detectors read. */
export const SIGNAL_INQUIRY = {
  probes: [ROBOTS],
  asksForSignals: SIGNALS.flatMap(({ requests = [] }) => requests),
};

/** What a full probe asks of the domain name system. */
export function dnsQuestions(domain: string): readonly DnsQuestion[] {
  return SIGNALS.flatMap(({ question }) => question?.(domain) ?? []);
}
