import { ardManifest, ARD_PROBE } from '../documents/ard';
import { agentHosts } from './dns-aid';
import { ABSENT, type SignalDefinition } from './signal';

/** Faults that are named. */
const MAX_NAMED = 3;

/** Agentic Resource Discovery 0.91: one manifest of what a host has for agents. Detectors ask for it first. */
export const ard: SignalDefinition = {
  id: 'ard',
  draft: true,
  requests: [ARD_PROBE],
  judge(seen) {
    const manifest = ardManifest(seen);
    if (!manifest) {
      const { kind } = seen.read(ARD_PROBE.url);
      // ARD 0.9 shares its DNS name with DNS-AID. That name says on which host to ask, and no path: it is a hint.
      const named = agentHosts(seen)?.[0];
      const absent = named === undefined ? ABSENT : { ...ABSENT, note: `DNS names ${named}` };
      return kind === 'unasked' || kind === 'blocked' ? undefined : absent;
    }
    const { entries, answer, attestations } = manifest;
    const faults = entries.flatMap((entry) => entry.faults);
    const unasked = entries.filter(({ queries }) => !queries).length;
    const beyond = entries.filter(({ url }) => url !== undefined && !seen.sameSite(url)).length;
    const note = [
      `entries: ${entries.length}`,
      ...(unasked > 0 ? [`queries missing: ${unasked}`] : []),
      ...(beyond > 0 ? [`off site: ${beyond}`] : []),
      ...(attestations.length > 0 ? [`attestations: ${attestations.join(' ')}`] : []),
      ...faults.slice(0, MAX_NAMED),
    ].join(', ');
    return { status: faults.length > 0 ? 'faulty' : 'valid', at: answer.finalUrl, note };
  },
};
