import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DETECTORS, RULES } from '@app/detectors';

const FILE = join(__dirname, '../docs/protocols.md');

/** `npm run fixtures` writes the document anew. */
function written(): string {
  return [
    '# Protocols',
    '',
    `The rule set of this release is \`${RULES.version}\` ([behaviour 14.2](behaviour.md#142-rules)). Each detector judges by one`,
    'release of the specification of its protocol. `npm run fixtures` writes this page.',
    '',
    ...DETECTORS.map(
      ({ id, name, spec, rules }) =>
        `- \`${id}\`, ${name.long}: release [${rules.release}](${spec}), compared with it on ${rules.checked}`,
    ),
    '',
  ].join('\n');
}

describe('docs/protocols.md', () => {
  it('says which release of each specification the detectors judge by, and when they were compared', () => {
    const text = written();
    if (process.env['REFRESH_FIXTURES'] === '1') writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });

  it('names days that were and rules as old as the oldest of them', () => {
    const days = DETECTORS.map(({ rules }) => rules.checked);
    expect(days.filter((day) => new Date(day).toISOString().slice(0, 10) !== day)).toEqual([]);
    expect(RULES.checked).toBe([...days].sort()[0]);
  });
});
