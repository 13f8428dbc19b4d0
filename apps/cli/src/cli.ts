import { ConfigError, loadConfig } from '@app/config';
import type { HostName } from '@app/reports';
import { readCommand, USAGE } from './command-line';
import { lookAt } from './look';
import type { Paint } from './paint';
import { differs, type RejudgedHost } from './rejudge';
import { rejudgeLines } from './rejudge-page';
import { reportPage } from './report-page';
import { rejudgedHosts } from './stored-hosts';

/** Where a command writes, and what it knows of its surroundings. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paint: Paint;
  readonly say: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** 0: done, whatever the host is like; 1: the configuration or a part of ours failed; 2: the command line is wrong. */
export type ExitCode = 0 | 1 | 2;

export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const reading = readCommand(args);
  if (!reading.ok) {
    terminal.complain(`${reading.sentence}\n${USAGE}\n`);
    return 2;
  }
  const { command } = reading;
  try {
    if (command.kind === 'help') terminal.say(`${USAGE}\n`);
    else if (command.kind === 'probe') await probe(command.host, command.json, terminal);
    else await rejudgeAll(command.json, terminal);
    return 0;
  } catch (error) {
    terminal.complain(`${error instanceof ConfigError ? error.message : String(error)}\n`);
    return 1;
  }
}

async function probe(host: HostName, json: boolean, { env, paint, say }: Terminal): Promise<void> {
  const facts = await lookAt(host, env);
  say(json ? `${JSON.stringify(facts, null, 2)}\n` : reportPage(facts, paint));
}

async function rejudgeAll(json: boolean, { env, paint, say }: Terminal): Promise<void> {
  const changed: RejudgedHost[] = [];
  let count = 0;
  for await (const host of rejudgedHosts(loadConfig(env).database.url)) {
    count += 1;
    if (!differs(host)) continue;
    changed.push(host);
    if (!json) say(`${rejudgeLines(host, paint).join('\n')}\n`);
  }
  say(
    json
      ? `${JSON.stringify({ hosts: count, changed }, null, 2)}\n`
      : `judged again: ${count}, would change: ${changed.length}; nothing was written\n`,
  );
}
