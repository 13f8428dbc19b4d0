import { runCli } from '../../apps/cli/src/cli';
import { paintFor } from '../../apps/cli/src/terminal/paint';
import { progressOn } from '../../apps/cli/src/terminal/progress';
import type { Terminal } from '../../apps/cli/src/terminal/terminal';

/** The exit code and output of a command. */
export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process as without a terminal: no colors, no progress. */
export async function runCommand(
  args: readonly string[],
  surroundings: Pick<Terminal, 'env'> & Partial<Terminal>,
): Promise<CommandEnd> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(args, {
    paint: paintFor({}, undefined),
    progress: progressOn({ write: () => undefined }),
    say: (text) => out.push(text),
    complain: (text) => err.push(text),
    ...surroundings,
  });
  return { code, out: out.join(''), err: err.join('') };
}
