import { parseArgs } from 'node:util';
import { DETECTOR_IDS } from '@app/detectors';
import { HostName } from '@app/reports';
import { readHash } from '@app/statements';
import { CommandError, EXIT } from './exit-codes';
import type { Gate } from './gate';

/** What is printed on standard output: a page for a person, JSON for a program, SARIF for code scanning. */
export type Output = 'page' | 'json' | 'sarif';

/** What the commands about hosts have in common. */
export interface Wish {
  readonly output: Output;
  readonly gate: Gate;
}

/** Files that `verify` checks against each other. */
export interface VerifyFiles {
  readonly bundle: string;
  /** Hex; null compares it with nothing. */
  readonly root: string | null;
  readonly statement: string | null;
  /** The document of keys of the issuer: a file that was saved before, or the URL of the service. */
  readonly keys: string | null;
  readonly report: string | null;
  readonly json: boolean;
}

/** Of a probe from this machine: where names are reached, and files beside what is printed. */
export interface ProbeFiles {
  /** `host:port=address:port`, comma-separated; null is what the environment says. */
  readonly connectTo: string | null;
  readonly sarifFile: string | null;
  readonly commentFile: string | null;
  /** An earlier report as JSON, which the comment compares with. */
  readonly against: string | null;
}

/** Which service a command asks; null is what the environment names. */
interface FromService {
  readonly url: string | null;
}

/** What a command may spend, a decimal USD string; null asks on a terminal, and buys nothing elsewhere. */
interface Paid extends FromService {
  readonly maxUsd: string | null;
}

const OPTIONS = {
  json: { type: 'boolean' },
  apply: { type: 'boolean' },
  sarif: { type: 'boolean' },
  gate: { type: 'string' },
  'connect-to': { type: 'string' },
  'sarif-file': { type: 'string' },
  'comment-file': { type: 'string' },
  against: { type: 'string' },
  out: { type: 'string' },
  day: { type: 'string' },
  depth: { type: 'string' },
  url: { type: 'string' },
  'max-usd': { type: 'string' },
  days: { type: 'string' },
  reason: { type: 'string' },
  'from-block': { type: 'string' },
  'to-block': { type: 'string' },
  root: { type: 'string' },
  statement: { type: 'string' },
  keys: { type: 'string' },
  report: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** The blocks of a chain that are probed; undefined is from the first of interest, or to the newest. */
export interface AskedBlocks {
  readonly fromBlock: bigint | undefined;
  readonly toBlock: bigint | undefined;
}

/** A command for the operator of a service; it works on the service's database. */
export type OperatorCommand =
  | { readonly kind: 'rejudge'; readonly json: boolean; readonly apply: boolean }
  | {
      readonly kind: 'census';
      /** A file, or `-` for standard input. */
      readonly list: string;
      /** `YYYY-MM-DD`. */
      readonly day: string;
      readonly depth: 'first' | 'full';
      /** Folder of the dataset; null writes none. */
      readonly out: string | null;
    }
  | ({ readonly kind: 'ledger' } & AskedBlocks)
  | ({ readonly kind: 'subscription' } & (
      | { readonly verb: 'grant'; readonly host: HostName; readonly days: number | undefined }
      | { readonly verb: 'revoke'; readonly id: string }
      | { readonly verb: 'list' }
    ))
  | ({ readonly kind: 'keys' } & (
      | { readonly verb: 'list' }
      | { readonly verb: 'rotate' }
      | { readonly verb: 'revoke'; readonly kid: string; readonly reason: string }
    ))
  | ({ readonly kind: 'webhooks' } & ({ readonly verb: 'list' } | { readonly verb: 'replay'; readonly watch: string }))
  | ({ readonly kind: 'opt-out' } & (
      { readonly verb: 'add' | 'remove'; readonly host: HostName } | { readonly verb: 'list' }
    ))
  | { readonly kind: 'withhold'; readonly host: HostName };

/** What a person asked for. */
export type Command =
  | ({ readonly kind: 'probe'; readonly host: HostName } & Wish & ProbeFiles)
  | ({ readonly kind: 'report'; readonly host: HostName } & Wish & FromService)
  | ({ readonly kind: 'refresh'; readonly host: HostName } & Wish & Paid)
  | ({ readonly kind: 'batch'; readonly hosts: readonly HostName[] } & Wish & Paid)
  | ({ readonly kind: 'verify' } & VerifyFiles)
  | ({ readonly kind: 'mcp' } & Paid)
  | OperatorCommand
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

export const USAGE = `usage: hostprobe probe <domain>        probe a host from this machine; free, nothing is stored
       hostprobe report <domain>       the report a service holds; free
       hostprobe refresh <domain>      a live probe by a service; paid
       hostprobe batch <domain>...     live probes of up to 10 hosts; paid
       hostprobe verify <bundle>       check evidence that was fetched before, offline, and judge it again
       hostprobe mcp                   the tools of an agent on this machine, over standard input and output; pays nothing

for the operator of a service:
       hostprobe census <list> [--out <folder>]   probe every host of a list (a file, or -); writes the dataset
       hostprobe rejudge [--apply]     judge the stored evidence of all hosts again; --apply writes what differs
       hostprobe ledger check          compare ledger, stored answers and chain
       hostprobe subscription grant <domain> | list | revoke <id>
       hostprobe opt-out add <domain> | remove <domain> | list
       hostprobe withhold <domain>     remove the stored documents of a host on a legal request
       hostprobe keys list | rotate | revoke <kid> --reason <text>     the keys that sign statements
       hostprobe webhooks list | replay <watch>     alerts that their receivers do not take

  --json               print JSON             --sarif  print SARIF 2.1.0 (one host)
  --gate ucp,x402      exit with 1 unless these protocols are present, with 7 when one could not be probed
  --connect-to <list>  reach names elsewhere, as shop.example.com:443=127.0.0.1:8443; comma-separated
  --sarif-file <file>, --comment-file <file>  also write SARIF, or Markdown for a pull request
  --against <file>     what the comment compares with: an earlier report as JSON
  --url <url>          the service; otherwise HOSTPROBE_URL, otherwise what npm start runs here
  --max-usd 0.05       spend at most this; without it a terminal is asked, and elsewhere nothing is bought. With mcp: the
                       dearest payment that is let pass, otherwise 1
  --root <hash>, --report <file>           what the bundle must add up to, and what is compared with it
  --statement <file>, --keys <file or url>  what was signed about the bundle, and the keys of its issuer
  --depth full, --day 2026-11-23           probe every host in full; the day a census belongs to, today when left out
  --days 90            how long a granted subscription lasts
  --from-block, --to-block 123             the blocks whose transfers are compared
  --help, --version

HOSTPROBE_KEY holds the private key of the wallet that pays. Operators set DATABASE_URL, or DATA_DIR to where npm start
keeps its data. Exit codes: docs/command-line.md.`;

type Values = ReturnType<typeof parse>['values'];
type OptionName = keyof Values;

interface Syntax {
  /** Options it takes; `--help` and `--version` are answered before any. */
  readonly options: readonly OptionName[];
  /** @throws {CommandError} `usage` or `wrongDomain` */
  readonly read: (words: readonly string[], values: Values) => Command;
}

const COMMANDS: Readonly<Record<string, Syntax>> = {
  probe: {
    options: ['json', 'sarif', 'gate', 'connect-to', 'sarif-file', 'comment-file', 'against'],
    read: (words, values) => ({
      kind: 'probe',
      host: onlyHost('probe', words),
      ...wish(values),
      ...probeFiles(values),
    }),
  },
  report: {
    options: ['json', 'sarif', 'gate', 'url'],
    read: (words, values) => ({
      kind: 'report',
      host: onlyHost('report', words),
      ...wish(values),
      url: values.url ?? null,
    }),
  },
  refresh: {
    options: ['json', 'sarif', 'gate', 'url', 'max-usd'],
    read: (words, values) => ({ kind: 'refresh', host: onlyHost('refresh', words), ...wish(values), ...paid(values) }),
  },
  batch: {
    options: ['json', 'gate', 'url', 'max-usd'],
    read: (words, values) => ({ kind: 'batch', hosts: batchHosts(words), ...wish(values), ...paid(values) }),
  },
  verify: { options: ['json', 'root', 'report', 'statement', 'keys'], read: readVerify },
  mcp: {
    options: ['url', 'max-usd'],
    read: (words, values) => {
      if (words.length > 0) throw wrong('mcp takes no domain');
      return { kind: 'mcp', ...paid(values) };
    },
  },
  rejudge: {
    options: ['json', 'apply'],
    read: (words, { json = false, apply = false }) => {
      if (words.length > 0) throw wrong('rejudge takes no domain');
      return { kind: 'rejudge', json, apply };
    },
  },
  census: { options: ['day', 'depth', 'out'], read: readCensus },
  ledger: { options: ['from-block', 'to-block'], read: readLedger },
  subscription: { options: ['days'], read: readSubscription },
  'opt-out': { options: [], read: readOptOut },
  withhold: { options: [], read: (words) => ({ kind: 'withhold', host: onlyHost('withhold', words) }) },
  keys: { options: ['reason'], read: readKeys },
  webhooks: { options: [], read: readWebhooks },
};
/** In the order of the usage. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);
/** Behaviour 1.5. */
const MAX_BATCH = 10;
const MAX_DAYS = 3_660;
const AMOUNT = /^\d{1,9}(?:\.\d{1,6})?$/;

/**
 * Reads the arguments behind the program's name; anything unknown is a sentence, never a guess.
 * @throws {CommandError} `usage` or `wrongDomain`
 */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [name, ...words] = positionals;
  if (name === undefined) throw wrong('no command given');
  const syntax = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (syntax === undefined) throw wrong(`there is no command ${name}`);
  const stray = (Object.keys(values) as OptionName[]).find(
    (option) => values[option] !== undefined && !syntax.options.includes(option),
  );
  if (stray !== undefined) throw wrong(`${name} takes no --${stray}`);
  return syntax.read(words, values);
}

function wish({ json, sarif, gate }: Values): Wish {
  if (json && sarif) throw wrong('--json and --sarif exclude each other');
  return { output: json ? 'json' : sarif ? 'sarif' : 'page', gate: readGate(gate) };
}

function probeFiles(values: Values): ProbeFiles {
  const { 'connect-to': connectTo = null, against = null } = values;
  const { 'sarif-file': sarifFile = null, 'comment-file': commentFile = null } = values;
  if (against !== null && commentFile === null) throw wrong('--against is for --comment-file');
  return { connectTo, sarifFile, commentFile, against };
}

function paid({ url, 'max-usd': maxUsd }: Values): Paid {
  if (maxUsd !== undefined && !AMOUNT.test(maxUsd)) throw wrong('--max-usd must be an amount such as 0.05');
  return { url: url ?? null, maxUsd: maxUsd ?? null };
}

function onlyHost(name: string, [domain, ...others]: readonly string[]): HostName {
  if (domain === undefined || others.length > 0) throw wrong(`${name} takes exactly one domain`);
  return hostOf(domain);
}

function batchHosts(domains: readonly string[]): readonly HostName[] {
  if (domains.length === 0 || domains.length > MAX_BATCH) throw wrong(`batch takes 1 to ${MAX_BATCH} domains`);
  return domains.map(hostOf);
}

function hostOf(domain: string): HostName {
  const reading = HostName.parse(domain);
  if (!reading.ok) throw new CommandError(EXIT.wrongDomain, reading.sentence);
  return reading.host;
}

/** `acp` is refused, since it can never be present (behaviour 5.2). */
function readGate(list: string | undefined): Gate {
  if (list === undefined) return [];
  const ids = [...new Set(list.split(',').map((id) => id.trim().toLowerCase()))];
  const unknown = ids.find((id) => !DETECTOR_IDS.some((known) => known === id));
  if (unknown !== undefined) throw wrong(`--gate takes protocols of ${DETECTOR_IDS.join(', ')}`);
  if (ids.includes('acp')) throw wrong('--gate cannot demand acp, which is never discoverable from outside');
  return ids;
}

function readVerify([bundle, ...rest]: readonly string[], { json = false, ...files }: Values): Command {
  if (bundle === undefined || rest.length > 0) throw wrong('verify takes exactly one file');
  const { root, report = null, statement = null, keys = null } = files;
  const hash = root === undefined ? null : readHash(root);
  if (hash === undefined) throw wrong('--root must be a SHA-256 in base64url or in hex');
  if ((statement === null) !== (keys === null)) {
    throw wrong('--statement and --keys go together: the keys are those of an issuer that you chose beforehand');
  }
  return { kind: 'verify', bundle, root: hash && hash.toString('hex'), report, statement, keys, json };
}

function readCensus([list, ...rest]: readonly string[], { day, depth = 'first', out }: Values): Command {
  if (list === undefined || rest.length > 0) throw wrong('census takes exactly one list, or - for standard input');
  if (depth !== 'first' && depth !== 'full') throw wrong('--depth must be first or full');
  const today = new Date().toISOString().slice(0, 10);
  if (day !== undefined && !isDay(day)) throw wrong('--day must be a day such as 2026-11-23');
  return { kind: 'census', list, day: day ?? today, depth, out: out ?? null };
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}

function readLedger([verb, ...rest]: readonly string[], values: Values): Command {
  if (verb !== 'check' || rest.length > 0) throw wrong('ledger takes the word check');
  const [fromBlock, toBlock] = (['from-block', 'to-block'] as const).map((name) => {
    const text = values[name];
    if (text !== undefined && !/^\d{1,18}$/.test(text)) throw wrong(`--${name} must be a block number`);
    return text === undefined ? undefined : BigInt(text);
  });
  if (fromBlock !== undefined && toBlock !== undefined && fromBlock > toBlock) {
    throw wrong('--from-block is after --to-block');
  }
  return { kind: 'ledger', fromBlock, toBlock };
}

function readSubscription([verb, name, ...rest]: readonly string[], { days }: Values): Command {
  const kind = 'subscription';
  const known = rest.length === 0 && (days === undefined || verb === 'grant');
  if (known && verb === 'list' && name === undefined) return { kind, verb };
  if (known && verb === 'revoke' && name !== undefined) return { kind, verb, id: name };
  if (!known || verb !== 'grant' || name === undefined) {
    throw wrong('subscription takes grant <domain> [--days N], list or revoke <id>');
  }
  const count = days === undefined ? undefined : /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (count !== undefined && (count < 1 || count > MAX_DAYS)) {
    throw wrong(`--days must be a whole number, 1 to ${MAX_DAYS}`);
  }
  return { kind, verb, host: hostOf(name), days: count };
}

function readKeys([verb, kid, ...rest]: readonly string[], { reason }: Values): Command {
  const kind = 'keys';
  if ((verb === 'list' || verb === 'rotate') && kid === undefined && reason === undefined) return { kind, verb };
  if (verb !== 'revoke' || kid === undefined || rest.length > 0 || !reason?.trim()) {
    throw wrong('keys takes list, rotate or revoke <kid> --reason <text>');
  }
  return { kind, verb, kid, reason: reason.trim().slice(0, 200) };
}

function readWebhooks([verb, watch, ...rest]: readonly string[]): Command {
  const kind = 'webhooks';
  if (verb === 'list' && watch === undefined) return { kind, verb };
  if (verb !== 'replay' || watch === undefined || rest.length > 0) throw wrong('webhooks takes list or replay <watch>');
  return { kind, verb, watch };
}

function readOptOut([verb, name, ...rest]: readonly string[]): Command {
  const kind = 'opt-out';
  if (verb === 'list' && name === undefined) return { kind, verb };
  if ((verb !== 'add' && verb !== 'remove') || name === undefined || rest.length > 0) {
    throw wrong('opt-out takes add <domain>, remove <domain> or list');
  }
  return { kind, verb, host: hostOf(name) };
}

function wrong(sentence: string): CommandError {
  return new CommandError(EXIT.usage, sentence);
}

/** The name of a key is a digest in base64url, and one in 64 begins with a hyphen. */
const isKeyName = (arg: string): boolean => /^-[\w-]{42}$/.test(arg);

function parse(given: readonly string[]) {
  const args = joinedRoot(given);
  const names = args.filter(isKeyName);
  const ordered = names.length > 0 ? [...args.filter((arg) => !isKeyName(arg)), '--', ...names] : args;
  try {
    return parseArgs({ args: ordered, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const said = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
    throw wrong(String(said).split(/\n|\. /, 1)[0] ?? '');
  }
}

/** So may a root, which follows its option. */
function joinedRoot(args: readonly string[]): string[] {
  const at = args.indexOf('--root');
  const value = args[at + 1];
  return at >= 0 && value !== undefined && isKeyName(value) ? args.toSpliced(at, 2, `--root=${value}`) : [...args];
}
