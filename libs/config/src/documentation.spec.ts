import { readFileSync } from 'node:fs';
import { loadConfig } from './config';
import { VARIABLES } from './config';

const shown = readFileSync('.env.example', 'utf8');
const table = readFileSync('docs/configuration.md', 'utf8');

describe('the documentation of the configuration', () => {
  it.each(VARIABLES)('contains %s in the table and in .env.example', (name) => {
    expect(table).toContain(`\`${name}\``);
    expect(shown).toMatch(new RegExp(`^${name}=`, 'm'));
  });

  it('has only known variables in .env.example, with valid values and no secret that production would accept', () => {
    const lines = [...shown.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value] as const,
    );
    expect(lines.map(([name]) => name).sort()).toEqual([...VARIABLES].sort());
    const example = Object.fromEntries(lines);
    expect(() => loadConfig({ ...example, NODE_ENV: 'development' })).not.toThrow();
    const refused = lines.flatMap(([name, value]) => (/change-me|^0x0+1$/.test(value) ? [name] : []));
    expect(refused).toEqual(['DATABASE_URL', 'X402_PAY_TO', 'SECRETS_KEY']);
    for (const name of refused) expect(() => loadConfig(example)).toThrow(name);
  });
});
