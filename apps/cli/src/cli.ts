import { ConfigError, loadConfig, VERSION, type Variables } from '@app/config';
import type { CellStatus } from '@app/detectors';
import type { BatchItem, HostFacts } from '@app/reports';
import { batchPage } from './batch-page';
import { readCommand, USAGE, type Command, type Wish } from './command-line';
import { CommandError, EXIT, type ExitCode } from './exit-codes';
import { exitOf, holdAgainst, type Gate, type VerdictOf } from './gate';
import { lookAt } from './look';
import { jsonText, oneLine, type Paint } from './paint';
import type { Progress } from './progress';
import { differs, type RejudgedHost } from './rejudge';
import { rejudgeLines } from './rejudge-page';
import { reportPage } from './report-page';
import { sarifOf } from './sarif';
import { readBatch, readReport } from './service/answers';
import { askService, type ServiceCommand } from './service/service-command';
import type { ServiceAnswer } from './service/service-client';
import { databaseUrl } from './running-service';
import { rejudgedHosts } from './stored-hosts';

/** Where a command writes, and what it knows of its surroundings. */
export interface Terminal {
  readonly env: Variables;
  readonly paint: Paint;
  readonly progress: Progress;
  /** Asks the person at the terminal; missing when there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** Standard output: what was asked for, and nothing else. */
  readonly say: (text: string) => void;
  /** Standard error: everything about it. */
  readonly complain: (text: string) => void;
}

/** Runs one command line to its exit code; every failure is one sentence on standard error. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const reading = readCommand(args);
  if (!reading.ok) {
    terminal.complain(`${reading.sentence}\n${reading.exit === EXIT.usage ? `${USAGE}\n` : ''}`);
    return reading.exit;
  }
  try {
    return await run(reading.command, terminal);
  } catch (error) {
    terminal.complain(`${oneLine(error instanceof Error ? error.message : String(error))}\n`);
    if (error instanceof CommandError) return error.code;
    return error instanceof ConfigError ? EXIT.usage : EXIT.fault;
  }
}

async function run(command: Command, terminal: Terminal): Promise<ExitCode> {
  switch (command.kind) {
    case 'help':
      terminal.say(`${USAGE}\n`);
      return EXIT.done;
    case 'version':
      terminal.say(`${VERSION}\n`);
      return EXIT.done;
    case 'rejudge':
      await rejudgeAll(command.json, terminal);
      return EXIT.done;
    case 'probe':
      return probe(command, terminal);
    case 'batch':
      return batch(command, terminal);
    case 'report':
    case 'refresh': {
      const { body } = await served(command, terminal);
      return show(readReport(body), body, command, terminal);
    }
  }
}

async function probe(command: Extract<Command, { kind: 'probe' }>, terminal: Terminal): Promise<ExitCode> {
  terminal.progress.step(`looking at ${command.host.ascii}`);
  const facts = await lookAt(command.host, terminal.env).finally(() => {
    terminal.progress.done();
  });
  return show(facts, facts, command, terminal);
}

/** Asks the service and says on standard error what was paid for the answer. */
async function served(command: ServiceCommand, terminal: Terminal): Promise<ServiceAnswer> {
  const answer = await askService(command, terminal);
  const { paid } = answer;
  if (paid) terminal.complain(`paid ${paid.usd} USDC, transaction ${oneLine(paid.transaction)}\n`);
  return answer;
}

/** Prints a report as it was asked for and holds it against the gate. @param body what `--json` prints */
function show(facts: HostFacts, body: unknown, { output, gate }: Wish, terminal: Terminal): ExitCode {
  if (output === 'json') terminal.say(jsonText(body));
  else if (output === 'sarif') terminal.say(jsonText(sarifOf(facts, gate, VERSION)));
  else terminal.say(reportPage(facts, terminal.paint));
  return hold(gate, facts.domain, (id) => facts.protocols.find((cell) => cell.id === id)?.status, terminal);
}

async function batch(command: Extract<Command, { kind: 'batch' }>, terminal: Terminal): Promise<ExitCode> {
  const { body } = await served(command, terminal);
  const items = readBatch(body);
  terminal.say(command.output === 'json' ? jsonText(body) : batchPage(items, terminal.paint));
  const exits = items.map((item) => hold(command.gate, item.domain, (id) => verdictIn(item, id), terminal));
  return [EXIT.gateFailed, EXIT.undecided].find((code) => exits.includes(code)) ?? EXIT.done;
}

function verdictIn(item: BatchItem, id: string): CellStatus | undefined {
  if (!item.ok) return undefined;
  if (item.present.includes(id)) return 'present';
  if (item.partial.includes(id)) return 'partial';
  return item.errors.includes(id) ? 'error' : 'absent';
}

/** Says on standard error what of the gate is not met. */
function hold(gate: Gate, domain: string, verdictOf: VerdictOf, { complain }: Terminal): ExitCode {
  const findings = holdAgainst(gate, verdictOf);
  for (const { id, verdict, remark } of findings) {
    if (verdict !== 'met') complain(`gate: ${oneLine(domain)}: ${id} ${remark}\n`);
  }
  return exitOf(findings);
}

async function rejudgeAll(json: boolean, { env, paint, say }: Terminal): Promise<void> {
  const changed: RejudgedHost[] = [];
  let count = 0;
  for await (const host of rejudgedHosts(loadConfig({ ...env, DATABASE_URL: databaseUrl(env) }).database.url)) {
    count += 1;
    if (!differs(host)) continue;
    changed.push(host);
    if (!json) say(`${rejudgeLines(host, paint).join('\n')}\n`);
  }
  say(
    json
      ? jsonText({ hosts: count, changed })
      : `judged again: ${count}, would change: ${changed.length}; nothing was written\n`,
  );
}
