import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { EXIT } from './exit-codes';
import { readCommand, USAGE } from './command-line';

interface Step {
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

describe('the documentation of the command line', () => {
  const page = readFileSync('docs/command-line.md', 'utf8');

  it('lists every exit code by number and name, and no other', () => {
    const rows = [...page.matchAll(/^\| (\d+) +\| `(\w+)`/gm)].map(([, code, name]) => [name, Number(code)]);
    expect(Object.fromEntries(rows)).toEqual(EXIT);
  });

  it('names every option of the usage', () => {
    const options = new Set([...USAGE.matchAll(/--[a-z-]+/g)].map(([option]) => option));
    for (const option of options) expect(page).toContain(option);
  });

  it('shows only command lines that are understood', () => {
    const shown = [...page.matchAll(/^npx hostprobe (.*?)(?: +#.*)?$/gm)].map(([, line = '']) => line.split(' '));
    expect(shown).toHaveLength(4);
    for (const args of shown) expect(readCommand(args)).toMatchObject({ ok: true });
  });
});

describe('the GitHub Action', () => {
  const action = parse(readFileSync('.github/actions/hostprobe/action.yml', 'utf8')) as Action;
  const workflow = parse(readFileSync('docs/examples/github-workflow.yml', 'utf8')) as Workflow;

  it('passes its inputs on as variables, never as a part of a script', () => {
    expect(action.runs.using).toBe('composite');
    for (const { run } of action.runs.steps) expect(run ?? '').not.toContain('${{');
    const passed = action.runs.steps.flatMap(({ env }) => Object.values(env ?? {}));
    expect(passed.sort()).toEqual(
      Object.keys(action.inputs)
        .map((name) => `\${{ inputs.${name} }}`)
        .sort(),
    );
  });

  it('is used by the example with inputs it has', () => {
    const [use] = Object.values(workflow.jobs).flatMap(({ steps }) =>
      steps.filter(({ uses }) => uses?.includes('/.github/actions/hostprobe@')),
    );
    const given = Object.keys(use!.with!);
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(given));
    const required = Object.entries(action.inputs).filter(([, input]) => input.required);
    expect(given).toEqual(expect.arrayContaining(required.map(([name]) => name)));
  });
});
