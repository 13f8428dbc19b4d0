import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { partOf } from './support/generated';

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ANSWERS = { PROBER_CONTACT: 'mailto:owner@example.org', X402_PAY_TO: PAY_TO } as const;
/** `npm run prove:deploy` tests with a real engine; this fake records the script's commands. */
const DOCKER = '#!/bin/sh\n[ "$2" = version ] || { pwd; echo "$@"; } >>"$(dirname "$0")/asked"\n';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostprobe set up '));
  cpSync('scripts/setup-compose', join(folder, 'scripts/setup-compose'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/docker'), DOCKER, { mode: 0o755 });
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const env = () => readFileSync(join(folder, '.env'), 'utf8');

/** The variables of `.env`, each of which must occur once. */
function written(): Readonly<Record<string, string>> {
  const lines = env().trim().split('\n');
  const pairs = lines.map((line) => /^(\w+)=(.*)$/.exec(line)!.slice(1) as [string, string]);
  expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length);
  return Object.fromEntries(pairs);
}

function setUp(answers: Readonly<Record<string, string>>, path = `${join(folder, 'bin')}:/usr/bin:/bin`) {
  const { status, stderr } = spawnSync(join(folder, 'scripts/setup-compose'), {
    env: { PATH: path, ...answers },
    encoding: 'utf8',
    input: '',
  });
  return { status, stderr };
}

describe('scripts/setup-compose', () => {
  it('generates the database passwords and the key, readable only by their owner, and starts compose', () => {
    expect(setUp(ANSWERS)).toMatchObject({ status: 0 });
    const { POSTGRES_PASSWORD, REDIS_PASSWORD, SECRETS_KEY, ...rest } = written();
    const drawn = [POSTGRES_PASSWORD, REDIS_PASSWORD, SECRETS_KEY];
    for (const secret of drawn) expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(drawn).size).toBe(3);
    expect(rest).toEqual(ANSWERS);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'bin/asked'), 'utf8')).toBe(`${folder}\ncompose up -d --wait\n`);
  });

  it('writes the variables that compose requires, and reports missing ones for sales', () => {
    const compose = readFileSync('docker-compose.yml', 'utf8');
    const { stderr } = setUp(ANSWERS);
    expect(stderr.match(/[A-Z]\w+(?=\.$)/gm)).toEqual(['X402_FACILITATOR_URL', 'RPC_URL_8453']);
    const demanded = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!);
    expect(Object.keys(written())).toEqual(expect.arrayContaining(demanded));
  });

  it('does not change existing values in .env, even without a final line end', () => {
    writeFileSync(join(folder, '.env'), 'SECRETS_KEY=kept\nLOG_LEVEL=warn');
    expect(setUp({ ...ANSWERS, X402_PAY_TO: '' })).toEqual({ status: 0, stderr: '' });
    const first = env();
    expect(written()).toMatchObject({ SECRETS_KEY: 'kept', LOG_LEVEL: 'warn', X402_PAY_TO: '' });
    setUp({ PROBER_CONTACT: 'mailto:other@example.org', X402_PAY_TO: PAY_TO });
    expect(env()).toBe(first);
  });

  it('ends with one sentence if docker is missing', () => {
    const { status, stderr } = setUp(ANSWERS, join(folder, 'nowhere') + ':' + toolsWithoutDocker());
    expect({ status, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, lines: 1 });
    expect(stderr).toContain('Docker with Compose 2 is not installed');
  });

  it('rejects answers that are not addresses or that compose would misread', () => {
    const wrong = fc.oneof(
      fc.string({ unit: fc.constantFrom('0', 'x', 'a', 'F', '$', '\n', ' ', '#', ':', '/', '@'), minLength: 1 }),
      fc.constantFrom(`${PAY_TO}0`, PAY_TO.slice(0, -1), `${PAY_TO}\nA=1`, `A=1\n${PAY_TO}`, 'https://a b', 'mailto:a'),
    );
    fc.assert(
      fc.property(fc.constantFrom('X402_PAY_TO', 'PROBER_CONTACT', 'RPC_URL_8453'), wrong, (name, text) => {
        rmSync(join(folder, '.env'), { force: true });
        const { status, stderr } = setUp({ ...ANSWERS, [name]: text });
        if (status === 0) expect(written()[name]).toBe(text);
        else expect(stderr.trim()).toMatch(new RegExp(`^setup-compose: ${name} must .+$`));
        if (name !== 'RPC_URL_8453') expect(status).toBe(1);
      }),
      { numRuns: partOf(200) },
    );
  });
});

/** A folder with the programs that the script runs, except docker. */
function toolsWithoutDocker(): string {
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  for (const name of ['dirname', 'sh']) {
    writeFileSync(join(tools, name), `#!/bin/sh\nexec /usr/bin/${name} "$@"\n`, { mode: 0o755 });
  }
  return tools;
}
