import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CensusFinding,
  FIGURES,
  readList,
  writeDataset,
  type ListCount,
  type ProbedHost,
  type Release,
} from '@app/census';
import { loadConfig, VERSION } from '@app/config';
import { userAgentOf } from '@app/signing';
import { OptOuts } from '@app/limits';
import {
  CensusRepository,
  countFigures,
  isConnectionError,
  OptOutRepository,
  type CensusProgress,
  type Database,
} from '@app/storage';
import type { HostName } from '@app/hosts';
import type { OperatorCommand } from '../terminal/command';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { oneLine } from '../terminal/paint';
import type { Terminal } from '../terminal/terminal';

/** Milliseconds between progress lines if there is no terminal. On a terminal, the line changes every second. */
const LINE_MS = 60_000;
const STEP_MS = 1_000;
/** Counting a million hosts is slow, so the pause between two counts is this many times as long as a count. */
const ASKING_SHARE = 20;

/** The result of adding a list to the census. */
interface Taken extends ListCount {
  readonly added: number;
  readonly optedOut: number;
}

/**
 * Adds a list of hosts to the census of a day and shows the progress until every host has an outcome. Workers do the
 * work, so the command can be stopped and run again: hosts that are already in the census are not changed.
 * @throws {CommandError} `usage` if the list cannot be read or contains no host names
 */
export async function censusCommand(
  database: Database,
  { list, day, depth, out }: Extract<OperatorCommand, { kind: 'census' }>,
  terminal: Terminal,
): Promise<void> {
  const census = new CensusRepository(database);
  if (out !== null && existsSync(out) && readdirSync(out).length > 0)
    throw new CommandError(EXIT.usage, '--out must name a new or empty folder');
  terminal.progress.step('reading the list');
  const taken = await take({ census, database }, { list, day, depth }, terminal).finally(() => {
    terminal.progress.done();
  });
  const { hosts } = await census.progress(day);
  if (hosts === 0) throw new CommandError(EXIT.usage, 'the list has no host names');
  terminal.complain(takenLine(taken));
  for (const { line, text, sentence } of taken.examples)
    terminal.complain(`line ${line}: ${oneLine(text)}: ${oneLine(sentence)}\n`);
  await census.plan(day);
  await follow(census, day, terminal);
  if (out === null) return;
  const { hosts: written } = await exportCensus({ census, database }, day, out, terminal);
  terminal.complain(`${written} hosts written to ${oneLine(out)}\n`);
}

async function take(
  { census, database }: { readonly census: CensusRepository; readonly database: Database },
  { list, day, depth }: Pick<Extract<OperatorCommand, { kind: 'census' }>, 'list' | 'day' | 'depth'>,
  { env }: Terminal,
): Promise<Taken> {
  const optOuts = await optOutsNow(database, env);
  const name = list === '-' ? 'stdin' : basename(list);
  const taken = { lines: 0, bad: 0, examples: [], added: 0, optedOut: 0 } as Taken & {
    added: number;
    optedOut: number;
  };
  try {
    for await (const { hosts, count } of readList(list === '-' ? process.stdin : createReadStream(list))) {
      Object.assign(taken, count);
      const wanted = hosts.filter(({ ascii }) => !optOuts.covers(ascii));
      taken.optedOut += hosts.length - wanted.length;
      taken.added += await census.add(day, name, depth, wanted.map(named));
    }
  } catch (error) {
    if (isOfFile(error)) throw new CommandError(EXIT.usage, `cannot read the list: ${error.code}`);
    throw error;
  }
  return taken;
}

/** The hosts that opted out, from the database and `OPT_OUT`. */
async function optOutsNow(database: Database, { OPT_OUT }: Terminal['env']): Promise<OptOuts> {
  const configured = loadConfig({ DATABASE_URL: database.url, OPT_OUT }).targets.optOut;
  const optOuts = new OptOuts(
    configured,
    () => new OptOutRepository(database).list(),
    () => undefined,
  );
  await optOuts.start();
  optOuts.stop();
  return optOuts;
}

/** Writes the dataset of the day, without hosts that have opted out since. */
async function exportCensus(
  { census, database }: { readonly census: CensusRepository; readonly database: Database },
  day: string,
  folder: string,
  { env }: Terminal,
): Promise<Release> {
  const optOuts = await optOutsNow(database, env);
  let optedOut = 0;
  async function* hosts(): AsyncGenerator<ProbedHost> {
    for await (const { finding, ...row } of census.rows(day)) {
      if (optOuts.covers(row.domain) || row.outcome === 'opted_out') optedOut += 1;
      else yield { ...row, finding: finding === null ? null : CensusFinding.parse(finding) };
    }
  }
  const { PUBLIC_BASE_URL } = env;
  const { http } = loadConfig({ DATABASE_URL: database.url, PUBLIC_BASE_URL });
  const vantage = userAgentOf(VERSION, http.publicBaseUrl);
  const figures = await countFigures(database, day, optOuts.names(), FIGURES);
  return writeDataset(folder, hosts(), { day, version: VERSION, vantage, optedOut: () => optedOut }, figures);
}

function named({ ascii, site }: HostName) {
  return { domain: ascii, site };
}

/** Whether an error comes from a file, a stream or zlib, by its code; databases have other codes. */
function isOfFile(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && /^(?:E[A-Z]+|Z_[A-Z_]+)$/.test(String(error.code));
}

function takenLine({ lines, bad, added, optedOut }: Taken): string {
  const known = lines - bad - optedOut - added;
  return `the list has ${lines} lines: ${added} new hosts, ${known} already in the census, ${optedOut} opted out, ${bad} invalid\n`;
}

/** Prints the progress of the day until every host has an outcome, and waits while the database is down. */
async function follow(census: CensusRepository, day: string, { progress, complain, ask }: Terminal): Promise<void> {
  let started: { readonly at: number; readonly done: number } | undefined;
  for (let told = 0; ;) {
    const asked = Date.now();
    const now = await census.progress(day).catch((error: unknown) => {
      if (isConnectionError(error)) return null;
      throw error;
    });
    if (now) started ??= { at: asked, done: now.done };
    const line = now && started ? progressLine(now, started, Date.now()) : 'the database is down; waiting for it';
    const over = now !== null && now.done === now.hosts;
    if (over) progress.done();
    else progress.step(line);
    if (over || (!ask && Date.now() - told >= LINE_MS)) {
      complain(`${line}\n`);
      told = Date.now();
    }
    if (over) return;
    await delay(Math.max(STEP_MS, ASKING_SHARE * (Date.now() - asked)));
  }
}

/** A progress line. The rate and the remaining time are based on the progress since the command started. */
function progressLine(
  { hosts, done, outcomes }: CensusProgress,
  started: { readonly at: number; readonly done: number },
  now: number,
): string {
  const seconds = Math.max(1, (now - started.at) / 1_000);
  const rate = (done - started.done) / seconds;
  const left = rate > 0 ? `${Math.ceil((hosts - done) / rate / 60)} min left` : 'no progress since the command started';
  const kinds = new Map<string, number>();
  for (const [outcome, count] of Object.entries(outcomes)) {
    const [kind = ''] = outcome.split(':', 1);
    kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  const words = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(', ');
  return `${done} of ${hosts} hosts${done === hosts ? '' : `, ${rate.toFixed(1)} a second, ${left}`}${words && `: ${words}`}`;
}
