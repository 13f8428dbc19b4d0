import { isObject, list, member, text, type JsonValue } from '../formats/json';
import { isDate, isEntityName, isRelease, isTransport, readProfile, type Profile } from './profile';

/** The faults that make a JSON object `partial`, as sentences for its owner; without any of them, it is `present`. */
export const PROFILE_PROBLEMS = {
  no_ucp_member: 'answered with JSON that has no top-level "ucp" object.',
  ucp_not_an_object: 'answered with JSON whose "ucp" field is not an object.',
  commerce_disabled: 'answered with a document that says commerce is disabled.',
  version_not_a_date: 'has no "ucp.version" in the form YYYY-MM-DD.',
  version_in_the_future: 'has a "ucp.version" in the future.',
  no_service: 'declares no usable service in "ucp.services".',
  service_name_invalid: 'has no service with a reverse-domain name in "ucp.services".',
  missing_capabilities: 'has no "ucp.capabilities".',
  capabilities_malformed: 'has "ucp.capabilities" of a type agents cannot read.',
  missing_payment_handlers: 'has no "ucp.payment_handlers" map (the map may be empty).',
} as const;
type ProfileFault = keyof typeof PROFILE_PROBLEMS | 'not_an_object';

const DAY_MS = 86_400_000;

/**
 * Behaviour 5.1 (a dated version, services, capabilities and payment handlers), for all four releases: since
 * 2026-01-23, capabilities are optional, and `payment_handlers` is required but may be empty.
 *
 * `observedAt` is the ISO time of the answer; versions more than a day later are rejected.
 */
export function profileFault(document: JsonValue, observedAt: string): ProfileFault | undefined {
  if (!isObject(document)) return 'not_an_object';
  if (member(member(document, 'commerce'), 'enabled') === false) return 'commerce_disabled';
  const profile = readProfile(document);
  if (!profile) return member(document, 'ucp') === undefined ? 'no_ucp_member' : 'ucp_not_an_object';
  return (
    versionFault(profile, observedAt) ?? serviceFault(profile) ?? capabilityFault(profile) ?? handlerFault(profile)
  );
}

function versionFault({ version }: Profile, observedAt: string): ProfileFault | undefined {
  if (version === undefined || !isDate(version)) return 'version_not_a_date';
  const ahead = Date.parse(version) > Date.parse(observedAt) + DAY_MS;
  return ahead && !isRelease(version) ? 'version_in_the_future' : undefined;
}

function serviceFault({ ucp, bindings }: Profile): ProfileFault | undefined {
  const usable = bindings.filter(({ transport }) => isTransport(transport));
  if (!isObject(member(ucp, 'services')) || usable.length === 0) return 'no_service';
  return usable.some(({ name }) => isEntityName(name)) ? undefined : 'service_name_invalid';
}

function capabilityFault(profile: Profile): ProfileFault | undefined {
  const value = member(profile.ucp, 'capabilities');
  const legacy = profile.legacyServices.length > 0 && member(profile.ucp, 'payment_handlers') === undefined;
  if (value === undefined) return legacy ? 'missing_capabilities' : undefined;
  const array = list(value);
  if (!array) return isObject(value) ? undefined : 'capabilities_malformed';
  const named = array.every((item) => text(member(item, 'name')) !== undefined);
  return named ? undefined : 'capabilities_malformed';
}

function handlerFault({ ucp }: Profile): ProfileFault | undefined {
  const registry = member(ucp, 'payment_handlers');
  if (registry === undefined && list(member(ucp, 'capabilities'))) return undefined;
  return isObject(registry) ? undefined : 'missing_payment_handlers';
}
