import type { HostEvidence } from '../evidence/host-evidence';
import type { JsonObject } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { distinctFindings, type Finding } from '../judgement/judgement';
import type { X402Challenge } from './x402-challenge';
import { checkAccept } from './x402-checks';

/** How many extensions of live x402 challenges a report lists. */

const MAX_EXTENSIONS = 20;

/**
 * Names of extensions in challenges (`bazaar`, `offer-receipt`, `sign-in-with-x`, ...); they do not affect the result.
 */
export function extensionsOf(challenges: readonly X402Challenge[]): readonly string[] | undefined {
  const names = new Set(challenges.flatMap(({ extensions }) => Object.keys(extensions)));
  return names.size === 0 ? undefined : [...names].sort().slice(0, MAX_EXTENSIONS);
}

/** Versions of the options, `1+2` for both. */
export function versionsOf(challenges: readonly X402Challenge[]): string | null {
  const versions = new Set(challenges.flatMap(({ accepts }) => accepts.map(({ version }) => version)));
  return [...versions].sort().join('+') || null;
}

/** Each option with the findings of its checks. */
export function acceptsOf(challenge: X402Challenge): readonly JsonObject[] {
  return challenge.accepts.map((accept) => {
    const check = checkAccept(accept, challenge.answer.observedAt);
    return {
      version: accept.version,
      scheme: accept.scheme,
      network: check.networkId,
      asset: accept.asset,
      assetSymbol: check.token?.symbol ?? null,
      amount: accept.amount,
      amountUsd: check.amountUsd,
      payTo: accept.payTo,
      resource: challenge.answer.finalUrl,
      reasons: check.reasons,
    };
  });
}

/** Faults of challenges, including those that clients tolerate. */
export function challengeFindings(challenges: readonly X402Challenge[], seen: HostEvidence): readonly Finding[] {
  return distinctFindings(
    challenges.flatMap((challenge) => {
      const at = challenge.answer.finalUrl;
      const warnings = challenge.accepts.flatMap((accept) => {
        const check = checkAccept(accept, challenge.answer.observedAt);
        // No Circle Gateway client pays with another contract, so this is also a finding about the host.
        return [...check.warnings, ...check.reasons.filter((reason) => reason.startsWith('gateway_'))];
      });
      return [...challenge.faults, ...warnings, ...resourceFault(challenge, seen)].map((id) => ({ id, at }));
    }),
  );
}

/** Clients that compare the challenge's resource with the called URL refuse to pay. */
function resourceFault({ resource, accepts, answer }: X402Challenge, seen: HostEvidence): readonly string[] {
  if (resource === null) return accepts.some(({ version }) => version === 2) ? ['resource_missing'] : [];
  const host = parseUrl(seen.addressOf(resource))?.host;
  return host === undefined || host === parseUrl(answer.finalUrl)?.host ? [] : ['resource_host_mismatch'];
}
