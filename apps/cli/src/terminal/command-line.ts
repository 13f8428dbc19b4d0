import { Command as Program, CommanderError, InvalidArgumentError, Option } from 'commander';
import { VERSION } from '@app/config';
import { DETECTOR_IDS } from '@app/detectors';
import { HostName } from '@app/hosts';
import { readHash } from '@app/signing';
import type { Command, Presentation, ProbeFiles, VerifyFiles, VerifyHost } from './command';
import { CommandError, EXIT, hostOf } from './exit-codes';
import type { Gate } from './gate';
import { oneLine } from './paint';

/** Behaviour 1.5. */
const MAX_BATCH = 10;
const MAX_DAYS = 3_660;
const AMOUNT = /^\d{1,9}(?:\.\d{1,6})?$/;

type Options<T> = { readonly [K in keyof T]?: T[K] | undefined };
type Print = { readonly json?: boolean; readonly sarif?: boolean; readonly verbose?: boolean; readonly gate?: Gate };
type VerifyOptions = Options<Omit<VerifyFiles, 'bundle'> & Pick<VerifyHost, 'url' | 'save'>>;
type Buy = { readonly url?: string; readonly maxUsd?: string };

/**
 * Parses the arguments after the program's name. Anything unknown is an error, never a guess.
 * @throws {CommandError} `usage` or `wrongDomain`
 */
export function readCommand(given: readonly string[]): Command {
  let command: Command | undefined;
  let text = '';
  const program = programOf(
    (read) => (command = read),
    (written) => (text += written),
  );
  // For "help prob", Commander would print the help of the whole program.
  const [first, topic] = given;
  const isUnknownTopic = first === 'help' && topic !== undefined && commandIn(program, topic) === undefined;
  const args = isUnknownTopic ? given.slice(1) : given;
  try {
    program.parse(keyNamesLast(args), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'text', text };
    throw wrong(sentenceOf(error, program, args));
  }
  if (command === undefined) throw new Error('the command line was read without a command');
  return command;
}

/** Commander's message as sentences: the error, then the nearest valid word or a pointer to the help. */
function sentenceOf({ code, message }: CommanderError, program: Program, [first = '']: readonly string[]): string {
  const command = commandIn(program, first);
  const help = `See "hostprobe ${command ? `${first} ` : ''}--help".`;
  if (code === 'commander.help') return `No command given. ${help}`;
  if (command === undefined && HostName.parse(first).ok) {
    return `Unknown command "${oneLine(first)}". Did you mean "probe ${oneLine(first)}"?`;
  }
  const said = oneLine(message).replace(/^error: /, '');
  const [wrongWord = said, hint] = said.split(' (Did you mean ');
  const suggested = hint?.replace(/^one of /, '').replace('?)', '');
  const sentence = `${wrongWord.slice(0, 1).toUpperCase()}${wrongWord.slice(1)}`
    .replaceAll("'", '"')
    .replace(/\.$/, '');
  return `${sentence}. ${suggested === undefined ? help : `Did you mean "${suggested.replaceAll(', ', '" or "')}"?`}`;
}

function commandIn(program: Program, name: string): Program | undefined {
  return program.commands.find((one) => one.name() === name);
}

/**
 * Every command, in the order of the help.
 * @param found called with the parsed command
 * @param write called with the text of the help or the version
 */
export function programOf(found: (command: Command) => void, write: (text: string) => void): Program {
  const program = new Program('hostprobe')
    .description('Checks which agent protocols a site supports, and whether agents can pay it.')
    .version(VERSION)
    .helpOption('-h, --help')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: () => undefined })
    .addHelpText('after', AFTER_HELP);
  addHostCommands(program, found);
  program.commandsGroup('For the operator of a service:');
  addOperatorCommands(program, found);
  return program;
}

const AFTER_HELP = `
"hostprobe <command> --help" shows the options of a command. HOSTPROBE_URL sets the service, HOSTPROBE_KEY the
private key of the wallet that pays. Operators set DATABASE_URL, or DATA_DIR if the service runs by npm start.
Exit codes: docs/command-line.md.`;

function addHostCommands(program: Program, found: (command: Command) => void): void {
  withGate(program.command('probe').description('Probe a host from this machine; free, stores nothing'), true)
    .argument('<domain>', '', hostOf)
    .option(
      '--connect-to <list>',
      'connect to these addresses instead: host:port=address, comma-separated, such as shop.example.com:443=127.0.0.1:8443; with =http://127.0.0.1:8080, without TLS',
    )
    .option('--ca-file <file>', 'also trust these certificates (PEM)')
    .option('--sarif-file <file>', 'also write SARIF')
    .option('--comment-file <file>', 'also write Markdown for a pull request')
    .option('--against <file>', 'earlier JSON report that the comment compares with')
    .action((host: HostName, options: Print & Options<ProbeFiles>) => {
      const { connectTo = null, caFile = null, sarifFile = null, commentFile = null, against = null } = options;
      if (against !== null && commentFile === null) throw wrong('--against needs --comment-file');
      found({ kind: 'probe', host, ...presentation(options), connectTo, caFile, sarifFile, commentFile, against });
    });
  fromService(
    withGate(program.command('report').description('Get the latest report on a host from a service; free'), true),
  )
    .argument('<domain>', '', hostOf)
    .action((host: HostName, options: Print & Buy) => {
      found({ kind: 'report', host, ...presentation(options), url: options.url ?? null });
    });
  paid(withGate(program.command('refresh').description('Ask a service to probe a host now; paid'), true))
    .argument('<domain>', '', hostOf)
    .action((host: HostName, options: Print & Buy) => {
      found({ kind: 'refresh', host, ...presentation(options), ...spending(options) });
    });
  paid(
    withGate(program.command('batch').description(`Ask a service to probe up to ${MAX_BATCH} hosts now; paid`), false),
  )
    .argument('<domains...>')
    .action((domains: readonly string[], options: Print & Buy) => {
      if (domains.length > MAX_BATCH) throw wrong(`batch takes 1 to ${MAX_BATCH} domains`);
      found({ kind: 'batch', hosts: domains.map(hostOf), ...presentation(options), ...spending(options) });
    });
  program
    .command('verify')
    .description("Verify a host's report online, or a saved evidence bundle offline, and re-run the checks")
    .argument('<host or bundle>')
    .option('--json', 'print JSON')
    .option('--url <url>', "fetch the host's report, statement, evidence and keys from this service")
    .option('--save <folder>', 'also save what was fetched, to verify it offline later; needs --url')
    .option('--root <hash>', 'the expected root hash of the bundle', readRoot)
    .option('--report <file>', 'the report to compare with')
    .option('--statement <file>', 'the signed statement about the bundle; needs --keys')
    .option('--keys <file or url>', "the issuer's keys, saved earlier; needs --statement or --url")
    .action((subject: string, { json = false, ...options }: VerifyOptions & { json?: boolean }) => {
      found({ kind: 'verify', json, ...verifySource(subject, options) });
    });
  fromService(program.command('mcp').description('Run a local MCP server (stdio) for agents; it never pays'))
    .option('--max-usd <amount>', 'the highest payment to approve; default 1', readAmount)
    .action((options: Buy) => {
      found({ kind: 'mcp', ...spending(options) });
    });
}

function addOperatorCommands(program: Program, found: (command: Command) => void): void {
  program
    .command('rejudge')
    .description('Re-run all checks on the stored evidence')
    .option('--json', 'print JSON')
    .option('--apply', 'save the changed results')
    .action(({ json = false, apply = false }: { json?: boolean; apply?: boolean }) => {
      found({ kind: 'rejudge', json, apply });
    });
  program
    .command('census')
    .description('Probe every host in a list (a file, or - for standard input) and write the dataset')
    .argument('<list>')
    .option('--out <folder>', 'the folder of the dataset')
    .option('--day <day>', 'the day of the census; default today', readDay)
    .addOption(
      new Option('--depth <depth>', 'how much of each host to probe').choices(['first', 'full']).default('first'),
    )
    .action((list: string, { out, day, depth }: { out?: string; day?: string; depth: 'first' | 'full' }) => {
      found({ kind: 'census', list, day: day ?? new Date().toISOString().slice(0, 10), depth, out: out ?? null });
    });
  program
    .command('ledger')
    .description('Audit the payments')
    .command('check')
    .description('Compare the ledger and the stored answers with the chain')
    .option('--from-block <number>', 'the first block to compare', readBlock)
    .option('--to-block <number>', 'the last block to compare', readBlock)
    .action(({ fromBlock, toBlock }: { fromBlock?: bigint; toBlock?: bigint }) => {
      if (fromBlock !== undefined && toBlock !== undefined && fromBlock > toBlock)
        throw wrong('--from-block is after --to-block');
      found({ kind: 'ledger', fromBlock, toBlock });
    });
  const subscription = program.command('subscription').description('Grant, list and revoke subscriptions');
  subscription
    .command('grant')
    .description('Give a host a subscription, and print its key')
    .argument('<domain>', '', hostOf)
    .option('--days <count>', `validity in days, 1 to ${MAX_DAYS}`, readDays)
    .action((host: HostName, { days }: { days?: number }) => {
      found({ kind: 'subscription', verb: 'grant', host, days });
    });
  subscription
    .command('list')
    .description('List all subscriptions')
    .action(() => {
      found({ kind: 'subscription', verb: 'list' });
    });
  subscription
    .command('revoke')
    .description('End a subscription; its key stops working')
    .argument('<id>')
    .action((id: string) => {
      found({ kind: 'subscription', verb: 'revoke', id });
    });
  const optOut = program.command('opt-out').description('Add, remove and list hosts that must not be probed');
  const optOuts = {
    add: 'Stop all probes of a host and its subdomains, and remove their stored documents',
    remove: 'Allow probes of a host again',
  };
  for (const verb of ['add', 'remove'] as const)
    optOut
      .command(verb)
      .description(optOuts[verb])
      .argument('<domain>', '', hostOf)
      .action((host: HostName) => {
        found({ kind: 'opt-out', verb, host });
      });
  optOut
    .command('list')
    .description('List the hosts that opted out')
    .action(() => {
      found({ kind: 'opt-out', verb: 'list' });
    });
  program
    .command('withhold')
    .description("Remove a host's stored documents after a legal request")
    .argument('<domain>', '', hostOf)
    .action((host: HostName) => {
      found({ kind: 'withhold', host });
    });
  const keys = program.command('keys').description('List, rotate and revoke the keys that sign statements');
  keys
    .command('list')
    .description('List the keys and when each started signing')
    .action(() => {
      found({ kind: 'keys', verb: 'list' });
    });
  keys
    .command('rotate')
    .description('Publish a new key; it starts signing after a notice period')
    .action(() => {
      found({ kind: 'keys', verb: 'rotate' });
    });
  keys
    .command('revoke')
    .description('Revoke a key; statements signed with it become invalid')
    .argument('<kid>')
    .requiredOption('--reason <text>', 'the reason, at most 200 characters', readReason)
    .action((kid: string, { reason }: { reason: string }) => {
      found({ kind: 'keys', verb: 'revoke', kid, reason });
    });
  const webhooks = program.command('webhooks').description('List and replay alerts that failed');
  webhooks
    .command('list')
    .description('List the watches whose alerts failed')
    .action(() => {
      found({ kind: 'webhooks', verb: 'list' });
    });
  webhooks
    .command('replay')
    .description('Send the failed alerts of a watch again')
    .argument('<watch>')
    .action((watch: string) => {
      found({ kind: 'webhooks', verb: 'replay', watch });
    });
}

function withGate(command: Program, sarif: boolean): Program {
  if (sarif) {
    command
      .addOption(new Option('--sarif', 'print SARIF 2.1.0').conflicts('json'))
      .option('--verbose', 'also show the evidence, and the fixes in full');
  }
  return command
    .option('--json', 'print JSON')
    .option(
      '--gate <protocols>',
      'protocols that must be present, such as ucp,x402: exits with 1 if one is not, with 7 if one could not be checked',
      readGate,
    );
}

function fromService(command: Program): Program {
  return command.option(
    '--url <url>',
    'URL of the service (default: HOSTPROBE_URL, otherwise the one that npm start runs here)',
  );
}

function paid(command: Program): Program {
  return fromService(command).option(
    '--max-usd <amount>',
    'spend limit; without it, you are asked first in a terminal, and a script buys nothing',
    readAmount,
  );
}

function presentation({ json, sarif, verbose, gate = [] }: Print): Presentation {
  return { output: json ? 'json' : sarif ? 'sarif' : verbose ? 'details' : 'page', gate };
}

function spending({ url, maxUsd }: Buy): { readonly url: string | null; readonly maxUsd: string | null } {
  return { url: url ?? null, maxUsd: maxUsd ?? null };
}

function verifySource(subject: string, options: VerifyOptions): VerifyFiles | VerifyHost {
  const { url, save = null, root = null, report = null, statement = null, keys = null } = options;
  if (url !== undefined) {
    if (root !== null || report !== null || statement !== null)
      throw wrong('--url fetches the files: leave out --root, --report and --statement');
    return { host: hostOf(subject), url, keys, save };
  }
  if (save !== null) throw wrong('--save needs --url');
  if ((statement === null) !== (keys === null)) throw wrong('--statement and --keys need each other');
  return { bundle: subject, root, report, statement, keys };
}

/** Rejects `acp`, because it can never be present (behaviour 5.2). */
function readGate(list: string): Gate {
  const ids = [...new Set(list.split(',').map((id) => id.trim().toLowerCase()))];
  if (ids.some((id) => !DETECTOR_IDS.some((known) => known === id)))
    throw new InvalidArgumentError(`The protocols are ${DETECTOR_IDS.join(', ')}.`);
  if (ids.includes('acp')) throw new InvalidArgumentError('acp cannot be checked from outside.');
  return ids;
}

function readRoot(text: string): string {
  const hash = readHash(text);
  if (hash === undefined) throw new InvalidArgumentError('It must be a SHA-256 in base64url or in hex.');
  return hash.toString('hex');
}

const readAmount = matching(AMOUNT, 'It must be an amount such as 0.05.', String);
const readBlock = matching(/^\d{1,18}$/, 'It must be a block number.', BigInt);
const readDays = matching(/^\d{1,4}$/, `It must be a whole number from 1 to ${MAX_DAYS}.`, (text) => {
  const days = Number(text);
  return days >= 1 && days <= MAX_DAYS ? days : undefined;
});
const readDay = matching(/^\d{4}-\d\d-\d\d$/, 'It must be a date such as 2026-11-23.', (text) => {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text ? text : undefined;
});
const readReason = matching(/\S/, 'It must not be empty.', (text) => text.trim().slice(0, 200));

/** A parser of an argument. If `read` returns undefined, the argument is rejected with the same sentence. */
function matching<T>(pattern: RegExp, sentence: string, read: (text: string) => T | undefined): (text: string) => T {
  return (text) => {
    const value = pattern.test(text) ? read(text) : undefined;
    if (value === undefined) throw new InvalidArgumentError(sentence);
    return value;
  };
}

function wrong(sentence: string): CommandError {
  return new CommandError(EXIT.usage, sentence);
}

/** Key names and roots are digests in base64url. One in 64 begins with a hyphen, as options do. */
function keyNamesLast(args: readonly string[]): readonly string[] {
  const isDigest = (arg: string | undefined): arg is string => arg !== undefined && /^-[\w-]{42}$/.test(arg);
  const at = args.indexOf('--root');
  const root = args[at + 1];
  if (at >= 0 && isDigest(root)) return args.toSpliced(at, 2, `--root=${root}`);
  const names = args.filter(isDigest);
  return names.length === 0 ? args : [...args.filter((arg) => !isDigest(arg)), '--', ...names];
}
