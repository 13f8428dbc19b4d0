import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FILES } from './bytes';

const WRITE = process.env['ORACLE'] === 'write';

describe('the expected bytes', () => {
  it.each(Object.entries(FILES))('%s', async (file, make) => {
    const text = await make();
    if (WRITE) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    expect(text).toBe(readFileSync(file, 'utf8'));
  });

  it('have no leftover files', () => {
    const there = readdirSync(__dirname, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
      .map(({ parentPath, name }) => join(parentPath, name));
    const made = Object.keys(FILES).map((file) => join(process.cwd(), file));
    expect(there.filter((file) => !made.includes(file))).toEqual([]);
  });
});
