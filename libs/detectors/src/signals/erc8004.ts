import { list, member, text, type JsonValue } from '../formats/json';
import { jsonSignal } from './documents';
import type { SignalDefinition } from './signal';

const PATH = '/.well-known/agent-registration.json';
const TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';
const REGISTRY = /^eip155:\d{1,20}:0x[0-9a-f]{40}$/i;

/** Registration file of an ERC-8004 agent, https://eips.ethereum.org/EIPS/eip-8004. Only the chain links it to the domain. */
export const erc8004: SignalDefinition = {
  id: 'erc8004',
  requests: [{ method: 'GET', url: PATH }],
  judge: (seen) =>
    jsonSignal(seen, PATH, (value) => {
      const services = list(member(value, 'services')) ?? list(member(value, 'endpoints'));
      const registrations = list(member(value, 'registrations')) ?? [];
      const valid =
        member(value, 'type') === TYPE &&
        text(member(value, 'name')) !== undefined &&
        services !== undefined &&
        registrations.every(isRegistration);
      return valid ? { status: 'valid', note: 'claimed' } : { status: 'faulty' };
    }),
};

function isRegistration(registration: JsonValue): boolean {
  return (
    Number.isInteger(member(registration, 'agentId')) &&
    REGISTRY.test(text(member(registration, 'agentRegistry')) ?? '')
  );
}
