import type { Finding } from '../detector';
import { text, type JsonObject } from '../json';
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

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== ''))];
}
