import { isObject, list, member, type JsonValue } from '../formats/json';
import { readCard } from './card';

/** The faults that make a JSON object `partial`, as sentences for its owner; without any of them, it is `present`. */
export const CARD_PROBLEMS = {
  not_an_agent_card: 'answered with JSON that has none of the fields of an agent card.',
  declares_unsupported: 'answered with a document that says no agent is supported.',
  no_name: 'has no "name".',
  no_skills: 'has no entry in "skills".',
  skills_without_id_or_name: 'has no skill with both "id" and "name".',
  capabilities_not_an_object: 'has a "capabilities" member that is not an object.',
  no_interface: 'names no interface: it has neither "supportedInterfaces" nor "url".',
} as const;

const CARD_MEMBERS =
  'name skills capabilities url supportedInterfaces supported_interfaces protocolVersion defaultInputModes services'.split(
    ' ',
  );

/** Behaviour 5.6 (name and skills). A card without an interface cannot be used, so it is also `partial`. */
export function cardFault(document: JsonValue): keyof typeof CARD_PROBLEMS | 'not_an_object' | undefined {
  const card = readCard(document);
  if (!card) return 'not_an_object';
  const { members } = card;
  if (!CARD_MEMBERS.some((name) => member(members, name) !== undefined)) return 'not_an_agent_card';
  if (member(members, 'supported') === false || member(members, 'enabled') === false) return 'declares_unsupported';
  if (card.name === undefined) return 'no_name';
  if ((list(member(members, 'skills')) ?? []).length === 0) return 'no_skills';
  if (card.skills.length === 0) return 'skills_without_id_or_name';
  const capabilities = member(members, 'capabilities');
  if (capabilities !== undefined && !isObject(capabilities)) return 'capabilities_not_an_object';
  return card.interfaces.length === 0 ? 'no_interface' : undefined;
}
