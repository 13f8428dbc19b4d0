import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ConfigError, VERSION } from '@app/config';
import type { CellStatus } from '@app/detectors';
import { defined } from '@app/platform';
import { readFacts, REASONS, type BatchItem, type HostFacts } from '@app/reports';
import { batchPage } from './batch-page';
import { changesComment } from './changes-comment';
import type { Command, Presentation } from './terminal/command';
import { readCommand } from './terminal/command-line';
import { CommandError, EXIT, type ExitCode } from './terminal/exit-codes';
import { exitOf, holdAgainst, type Gate, type StatusOf } from './terminal/gate';
import { previewOf, probeAt } from './probe';
import { jsonText, oneLine } from './terminal/paint';
import { commonReason, reportPage } from './report-page';
import { sarifOf } from './sarif';
import { readBatch, readReport } from './service/answers';
import type { ServiceAnswer, ServiceCommand } from './service/service-command';
import type { Terminal } from './terminal/terminal';

/** Runs a command and returns its exit code. A failure prints one sentence on standard error. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await run(readCommand(args), terminal);
  } catch (error) {
    const sentence = oneLine(error instanceof Error ? error.message : String(error));
    const code = error instanceof CommandError ? error.code : error instanceof ConfigError ? EXIT.usage : EXIT.fault;
    terminal.complain(`${sentence}\n`);
    return code;
  }
}

/** Commands load the modules for payments and databases only if they need them, so that `probe` starts quickly. */
async function run(command: Command, terminal: Terminal): Promise<ExitCode> {
  switch (command.kind) {
    case 'text':
      terminal.say(command.text);
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
    case 'verify': {
      const { verify } = await import('./verify.js');
      return verify(command, terminal);
    }
    case 'mcp': {
      const { serveMcp } = await import('./serve-mcp.js');
      return serveMcp(command, terminal);
    }
    case 'census':
    case 'rejudge':
    case 'ledger':
    case 'subscription':
    case 'keys':
    case 'webhooks':
    case 'opt-out':
    case 'withhold': {
      const { runOperator } = await import('./operator/operator-command.js');
      return runOperator(command, terminal);
    }
  }
}

const PLAIN_PREVIEW = 'The preview was reached over plain HTTP and judged as if it were served over HTTPS.';

async function probe(command: Extract<Command, { kind: 'probe' }>, terminal: Terminal): Promise<ExitCode> {
  const { host, connectTo, caFile, sarifFile, commentFile, against, gate } = command;
  const before = against === null ? undefined : readEarlier(against);
  if (caFile !== null && !existsSync(caFile)) throw new CommandError(EXIT.usage, '--ca-file must be a readable file');
  terminal.progress.step(`probing ${host.ascii}`);
  const preview = connectTo === null ? undefined : previewOf(host, connectTo);
  const env = {
    ...terminal.env,
    ...defined({ PROBE_CONNECT_TO: preview?.connectTo, PROBE_CA_FILE: caFile ?? undefined }),
  };
  const facts = await probeAt(host, { ...terminal, env }).finally(() => {
    terminal.progress.done();
  });
  if (sarifFile !== null) writeFileSync(sarifFile, jsonText(sarifOf(facts, gate, VERSION)));
  const note = preview?.isPlain ? PLAIN_PREVIEW : undefined;
  if (note !== undefined) terminal.complain(`${note}\n`);
  if (commentFile !== null) writeFileSync(commentFile, changesComment(facts, { before, gate, note }));
  return show(facts, facts, command, terminal);
}

/** @throws {CommandError} `usage` for a file that is not a report */
function readEarlier(file: string): HostFacts {
  try {
    return readFacts(readFileSync(file, 'utf8'));
  } catch {
    throw new CommandError(EXIT.usage, '--against must be a JSON report, as --json prints it');
  }
}

/** Calls the service and prints the price of its response on standard error. */
async function served(command: ServiceCommand, terminal: Terminal): Promise<ServiceAnswer> {
  const { askService } = await import('./service/service-command.js');
  const answer = await askService(command, terminal);
  const { paid } = answer;
  if (paid) terminal.complain(`paid ${paid.usd} USDC, transaction ${oneLine(paid.transaction)}\n`);
  return answer;
}

/** Prints a report in the requested format and checks it against the gate. @param body the output of `--json` */
function show(facts: HostFacts, body: unknown, { output, gate }: Presentation, terminal: Terminal): ExitCode {
  const unknownName = unknownNameOf(facts);
  if (output === 'json') terminal.say(jsonText(body));
  else if (output === 'sarif') terminal.say(jsonText(sarifOf(facts, gate, VERSION)));
  else if (unknownName === undefined) terminal.say(reportPage(facts, terminal.paint, output === 'details'));
  if (unknownName !== undefined) {
    terminal.complain(`${oneLine(facts.domain)}: ${unknownName}\n`);
    return EXIT.failed;
  }
  return hold(gate, facts.domain, (id) => facts.protocols.find((cell) => cell.id === id)?.status, terminal);
}

/** Why a host name does not resolve; undefined for all other hosts. */
function unknownNameOf(facts: HostFacts): string | undefined {
  const reason = commonReason(facts);
  return reason?.startsWith('dns_') ? REASONS[reason].what : undefined;
}

async function batch(command: Extract<Command, { kind: 'batch' }>, terminal: Terminal): Promise<ExitCode> {
  const { body } = await served(command, terminal);
  const items = readBatch(body);
  terminal.say(command.output === 'json' ? jsonText(body) : batchPage(items, terminal.paint));
  const exits = items.map((item) => hold(command.gate, item.domain, (id) => statusIn(item, id), terminal));
  return [EXIT.failed, EXIT.undecided].find((code) => exits.includes(code)) ?? EXIT.done;
}

function statusIn(item: BatchItem, id: string): CellStatus | undefined {
  if (!item.ok) return undefined;
  if (item.present.includes(id)) return 'present';
  if (item.partial.includes(id)) return 'partial';
  return item.errors.includes(id) ? 'error' : 'absent';
}

/** Prints on standard error which protocols of the gate failed. */
function hold(gate: Gate, domain: string, statusOf: StatusOf, { complain }: Terminal): ExitCode {
  const findings = holdAgainst(gate, statusOf);
  for (const { id, outcome, remark } of findings) {
    if (outcome !== 'met') complain(`gate: ${oneLine(domain)}: ${id} ${remark}\n`);
  }
  return exitOf(findings);
}
