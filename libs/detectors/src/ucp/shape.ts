import { isObject, list, member, type JsonObject, type JsonValue } from '../json';

/** Published releases of UCP, oldest first (https://ucp.dev). */
export const RELEASES = ['2026-01-11', '2026-01-23', '2026-04-08', '2026-08-25'] as const;
export type Release = (typeof RELEASES)[number];

/** `array-2026-01-11`: service objects and a capability array; `registry`: maps of arrays (since 2026-01-23); or both. */
export type Shape = 'array-2026-01-11' | 'registry' | 'mixed';

/** Tells the releases a profile can be of by its members alone, never by its date string. */
export function shapeOf(root: JsonObject, ucp: JsonObject): { shape: Shape; fits: readonly Release[] } {
  const services = Object.values(asObject(member(ucp, 'services')));
  const capabilities = member(ucp, 'capabilities');
  const legacy = services.some((service) => isObject(service)) || list(capabilities) !== undefined;
  const registry =
    services.some((service) => list(service) !== undefined) ||
    isObject(capabilities) ||
    member(ucp, 'payment_handlers') !== undefined;
  if (legacy && registry) return { shape: 'mixed', fits: [] };
  if (legacy) return { shape: 'array-2026-01-11', fits: ['2026-01-11'] };
  return { shape: 'registry', fits: registryReleases(root, ucp) };
}

/** `keys` and `map_order` came with 2026-08-25, which dropped `signing_keys`; leaf profiles and instruments with 2026-04-08. */
function registryReleases(root: JsonObject, ucp: JsonObject): readonly Release[] {
  const current = member(root, 'keys') !== undefined || member(ucp, 'map_order') !== undefined;
  const beforeCurrent = !current && member(root, 'signing_keys') !== undefined;
  const sinceApril = member(ucp, 'supported_versions') !== undefined || declaresInstruments(ucp);
  return RELEASES.filter((release) => {
    if (release === '2026-01-11') return false;
    if (release === '2026-08-25') return !beforeCurrent;
    return !current && !(sinceApril && release === '2026-01-23');
  });
}

function declaresInstruments(ucp: JsonObject): boolean {
  return Object.values(asObject(member(ucp, 'payment_handlers'))).some((entries) =>
    (list(entries) ?? []).some((entry) => member(entry, 'available_instruments') !== undefined),
  );
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
