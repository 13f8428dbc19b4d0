import { parseArgs } from 'node:util';
import { HostName } from '@app/reports';

/** What a person asked for. */
export type Command =
  | { readonly kind: 'probe'; readonly host: HostName; readonly json: boolean }
  | { readonly kind: 'rejudge'; readonly json: boolean }
  | { readonly kind: 'help' };

export type CommandReading =
  { readonly ok: true; readonly command: Command } | { readonly ok: false; readonly sentence: string };

export const USAGE = `usage: npm run probe -- <domain> [--json]   look at one host and print its report
       npm run rejudge -- [--json]          judge the stored evidence of all hosts again, change nothing`;

/** Reads the arguments behind the program's name; anything unknown is a sentence, never a guess. */
export function readCommand(args: readonly string[]): CommandReading {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return { ok: false, sentence: error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error) };
  }
  const { values, positionals } = parsed;
  const [name, domain, ...rest] = positionals;
  const { json } = values;
  if (values.help) return { ok: true, command: { kind: 'help' } };
  if (name === 'rejudge' && domain === undefined) return { ok: true, command: { kind: 'rejudge', json } };
  if (name !== 'probe') return { ok: false, sentence: name === undefined ? 'no command given' : 'no such command' };
  if (domain === undefined || rest.length > 0) return { ok: false, sentence: 'probe takes exactly one domain' };
  const reading = HostName.parse(domain);
  return reading.ok
    ? { ok: true, command: { kind: 'probe', host: reading.host, json } }
    : { ok: false, sentence: reading.sentence };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
}
