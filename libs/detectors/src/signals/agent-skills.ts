import { list, member, text, type JsonValue } from '../formats/json';
import { jsonSignal } from './documents';
import type { SignalDefinition } from './signal';

const PATH = '/.well-known/agent-skills/index.json';
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/i;
const TYPES: readonly unknown[] = ['skill-md', 'archive'];

/** Agent skills that a site publishes, discovery 0.2.0, https://agentskills.io/. */
export const agentSkills: SignalDefinition = {
  id: 'skills',
  requests: [{ method: 'GET', url: PATH }],
  judge: (seen) =>
    jsonSignal(seen, PATH, (value) => {
      const schema = text(member(value, '$schema')) ?? '';
      const skills = list(member(value, 'skills'));
      return { status: schema.includes('/discovery/0.2.0/') && skills?.every(isSkill) ? 'valid' : 'faulty' };
    }),
};

function isSkill(skill: JsonValue): boolean {
  const name = text(member(skill, 'name')) ?? '';
  return (
    name.length <= 64 &&
    NAME.test(name) &&
    TYPES.includes(member(skill, 'type')) &&
    text(member(skill, 'url')) !== undefined &&
    DIGEST.test(text(member(skill, 'digest')) ?? '')
  );
}
