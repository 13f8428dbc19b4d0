import { isObject, list, member, type JsonValue } from '../json';
import { readCard } from './card';

/** The first load-bearing member a card lacks: with any of these it is `partial`, without all of them `present`. */
export type CardFault =
  | 'not_an_object'
  | 'not_an_agent_card'
  | 'declares_unsupported'
  | 'no_name'
  | 'no_skills'
  | 'skills_without_id_or_name'
  | 'capabilities_not_an_object'
  | 'no_interface';

const CARD_MEMBERS = [
  'name',
  'skills',
  'capabilities',
  'url',
  'supportedInterfaces',
  'supported_interfaces',
  'protocolVersion',
  'defaultInputModes',
  'services',
];

/** Spec 2.6 (name and skills); a card that names no interface cannot be used and is `partial` (contract 8). */
export function cardFault(document: JsonValue): CardFault | undefined {
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
