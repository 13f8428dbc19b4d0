import { accessSync, constants, existsSync, readFileSync } from 'node:fs';

const readme = readFileSync('README.md', 'utf8');
const [, began] = readme.split('\n## Run it\n');
const section = began!.split('\n## ')[0]!;
const { name, bin, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly name: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
};

/** What is run: a clone by `apps/standalone/test/start.e2e-spec.ts`, npx by the specs of the packed command line, compose by
 * `test/setup-compose.spec.ts`, image and compose by `npm run prove:deploy`. */
describe('the ways in that the README names', () => {
  it('are a clone, npx, the image and compose, with one command each', () => {
    const commands = [...section.matchAll(/^(npm ci && npm start)$|^\|[^|]*\| `([^`]+)`/gm)].map(
      ([, clone, way]) => clone ?? way,
    );
    expect(commands).toEqual([
      'npm ci && npm start',
      'npx hostprobe probe example.com',
      'docker run --rm "$HOSTPROBE_IMAGE" node dist/apps/cli/src/main.js probe example.com',
      'scripts/setup-compose',
    ]);
  });

  it('exist', () => {
    expect(scripts['start']).toBeDefined();
    expect(Object.keys(bin)).toEqual([name]);
    expect(existsSync(bin[name]!)).toBe(true);
    expect(existsSync('apps/cli/src/main.ts')).toBe(true);
    accessSync('scripts/setup-compose', constants.X_OK);
  });
});
