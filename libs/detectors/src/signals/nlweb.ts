import type { HostEvidence } from '../evidence/host-evidence';
import { linkedBy } from '../evidence/links';
import { homeOf } from '../evidence/home-and-robots';
import { ABSENT, type SignalDefinition } from './signal';

/** NLWeb, https://nlweb.ai/: questions to a site in plain language. Never called, since an answer costs the host a model. */
export const nlweb: SignalDefinition = {
  id: 'nlweb',
  judge(seen) {
    const home = homeOf(seen);
    if (!home) return undefined;
    return linkedBy(home, 'nlweb').length > 0 || namedInDocument(seen)
      ? { status: 'valid', at: home.finalUrl, note: 'linked' }
      : ABSENT;
  },
};

/** An agent card or a manifest that names it leads there as well. */
function namedInDocument(seen: HostEvidence): boolean {
  return ['/.well-known/agent-card.json', '/.well-known/ard.json', '/.well-known/mcp.json'].some((path) => {
    const reading = seen.read(path);
    return reading.kind === 'json' && /"nlweb"/i.test(reading.answer.body.slice(0, 262_144));
  });
}
