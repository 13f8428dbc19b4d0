import type { Finding } from '../detector';
import { isObject, text, type JsonObject } from '../json';
import type { ProtocolCell } from '../run-detector';
import { supportedVersions } from './leaves';
import { preferredBinding, TRANSPORTS, type Profile } from './profile';

/** The report's `ucp` object (contract 3). `signingKeys` is the number of published keys; the rest are names. */
export function profileDetails(profile: Profile, findings: readonly Finding[]): JsonObject {
  const preferred = preferredBinding(profile);
  return {
    version: profile.version ?? null,
    shape: profile.shape,
    endpoint: text(preferred?.endpoint) ?? null,
    transports: TRANSPORTS.filter((name) => profile.bindings.some(({ transport }) => transport === name)),
    capabilities: distinct(profile.capabilities.map(({ name }) => name)),
    paymentHandlers: distinct(profile.handlers.map(({ name }) => name)),
    signingKeys: profile.keys.length,
    supportedVersions: supportedVersions(profile),
    findings: findings.map((finding) => ({ ...finding })),
  };
}

/** The report's `ucp` member: the profile of a `ucp` cell, or null when the host showed none. */
export function ucpSummary(cell: ProtocolCell | undefined): JsonObject | null {
  const profile = cell?.details['profile'];
  return isObject(profile) ? profile : null;
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== ''))];
}
