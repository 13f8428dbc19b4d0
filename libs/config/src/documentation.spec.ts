import { readFileSync } from 'node:fs';
import { loadConfig } from './config';
import { VARIABLES } from './environment';

const example = readFileSync('.env.example', 'utf8');

describe('the documentation of the configuration', () => {
  it.each(VARIABLES)('names %s in the README and in .env.example', (name) => {
    const table = readFileSync('README.md', 'utf8').split('## Configuration')[1] ?? '';
    expect(table).toContain(`\`${name}\``);
    expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
  });

  it('shows nothing in .env.example that does not exist, and only valid values', () => {
    const lines = [...example.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value] as const,
    );
    expect(lines.map(([name]) => name).sort()).toEqual([...VARIABLES].sort());
    expect(() => loadConfig(Object.fromEntries(lines))).not.toThrow();
  });
});
