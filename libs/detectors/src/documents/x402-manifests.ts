import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { saidJson, type Reading } from '../evidence/reading';
import { member } from '../formats/json';

export const X402_MANIFEST_PATHS = ['/.well-known/x402', '/.well-known/x402.json'] as const;

/** The largest of 972 manifests in a census had 383 KB; one of 793 KB is known. */
const request = (url: string): ProbeRequest => ({ method: 'GET', url, maxBytes: 1_048_576 });

export const X402_MANIFEST_PROBE = request(X402_MANIFEST_PATHS[0]);

/** The `.json` path is a proposal that 8 % of hosts use, requested only if the common path has no manifest. */
export function x402ManifestFollowUps(seen: HostEvidence): readonly ProbeRequest[] {
  const { kind } = seen.read(X402_MANIFEST_PATHS[0]);
  const isThere = kind === 'json' || kind === 'payment_required';
  return isThere ? [] : [{ ...request(X402_MANIFEST_PATHS[1]), optional: 'last' }];
}

/**
 * The responses that may be an x402 manifest: both paths, and a home page that contains `x402Version` (behaviour 5.7).
 */
export function x402ManifestReadings(seen: HostEvidence): readonly Reading[] {
  const home = seen.read('/');
  const isManifest = member(saidJson(home)?.value, 'x402Version') !== undefined;
  return [...X402_MANIFEST_PATHS.map((path) => seen.read(path)), ...(isManifest ? [home] : [])];
}
