import { readFileSync } from 'node:fs';
import type { Command as Program } from 'commander';
import { load } from 'js-yaml';
import { EXIT } from './terminal/exit-codes';
import { programOf, readCommand } from './terminal/command-line';

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const program = programOf(
  () => undefined,
  () => undefined,
);

describe('the documentation of the command line', () => {
  const page = readFileSync('docs/command-line.md', 'utf8');

  it('lists exactly the exit codes, by number and name', () => {
    const rows = [...page.matchAll(/^\| (\d+) +\| `(\w+)`/gm)].map(([, code, name]) => [name, Number(code)]);
    expect(Object.fromEntries(rows)).toEqual(EXIT);
  });

  it('names every option of every command', () => {
    const options = (command: Program): readonly string[] => [
      ...command.options.map(({ long }) => long ?? ''),
      ...command.commands.flatMap(options),
    ];
    for (const option of options(program)) expect(page).toContain(option);
  });

  it('shows only valid command lines', () => {
    const shown = [...page.matchAll(/^npx hostprobe (.*?)(?: +#.*)?$/gm)].map(([, line = '']) => line.split(' '));
    for (const args of shown) expect(() => readCommand(args)).not.toThrow();
    expect([...new Set(shown.map(([name]) => name))]).toEqual(program.commands.map((command) => command.name()));
  });
});

describe('the README of the packed command line', () => {
  const readme = readFileSync('apps/cli/README.md', 'utf8');

  it('shows only valid command lines, also in the configuration of a client', () => {
    const shown = [...readme.matchAll(/^npx hostprobe (.*?)(?: +#.*)?$/gm)].map(([, line = '']) => line.split(' '));
    expect(shown.length).toBeGreaterThan(3);
    for (const args of shown) expect(() => readCommand(args)).not.toThrow();
    for (const text of [readme, readFileSync('docs/command-line.md', 'utf8')]) {
      const json = /```json\n(.*?)```/s.exec(text)?.[1] ?? '';
      const { mcpServers } = JSON.parse(json) as Readonly<Record<string, Readonly<Record<string, { args: string[] }>>>>;
      expect(readCommand(mcpServers?.['hostprobe']?.args.slice(2) ?? [])).toMatchObject({
        kind: 'mcp',
        maxUsd: '0.10',
      });
    }
  });
});

describe('the GitHub Action', () => {
  const action = load(readFileSync('.github/actions/hostprobe/action.yml', 'utf8')) as Action;
  const workflow = load(readFileSync('docs/examples/github-workflow.yml', 'utf8')) as Workflow;

  it('passes its inputs on as variables, never as a part of a script', () => {
    expect(action.runs.using).toBe('composite');
    const { steps } = action.runs;
    for (const { run } of steps) expect(run ?? '').not.toContain('${{');
    const given = steps.flatMap(({ env, if: condition, with: options }) => [
      ...Object.values(env ?? {}),
      condition,
      ...Object.values(options ?? {}),
    ]);
    for (const name of Object.keys(action.inputs)) expect(given.join(' ')).toContain(`inputs.${name}`);
  });

  it('is used correctly by the example', () => {
    const uses = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.filter(({ uses: name }) => name?.includes('/.github/actions/hostprobe@')),
    );
    expect(uses).toHaveLength(2);
    const required = Object.entries(action.inputs).filter(([, input]) => input.required);
    for (const { with: given = {} } of uses) {
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
      expect(Object.keys(given)).toEqual(expect.arrayContaining(required.map(([name]) => name)));
    }
  });
});
