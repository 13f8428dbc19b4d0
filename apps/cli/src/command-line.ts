import { parseArgs } from 'node:util';
import { DETECTOR_IDS } from '@app/detectors';
import { HostName } from '@app/reports';
import { EXIT } from './exit-codes';
import type { Gate } from './gate';

/** What is printed on standard output: a page for a person, JSON for a program, SARIF for code scanning. */
export type Output = 'page' | 'json' | 'sarif';

/** What the commands about hosts have in common. */
export interface Wish {
  readonly output: Output;
  readonly gate: Gate;
}

/** Which service a command asks; null is what the environment names. */
interface FromService {
  readonly url: string | null;
}

/** What a command may spend, a decimal USD string; null asks on a terminal and refuses elsewhere. */
interface Paid extends FromService {
  readonly maxUsd: string | null;
}

/** What a person asked for. */
export type Command =
  | ({ readonly kind: 'probe'; readonly host: HostName } & Wish)
  | ({ readonly kind: 'report'; readonly host: HostName } & Wish & FromService)
  | ({ readonly kind: 'refresh'; readonly host: HostName } & Wish & Paid)
  | ({ readonly kind: 'batch'; readonly hosts: readonly HostName[] } & Wish & Paid)
  | { readonly kind: 'rejudge'; readonly json: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

export type CommandReading =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly exit: typeof EXIT.usage | typeof EXIT.wrongDomain; readonly sentence: string };

export const USAGE = `usage: hostprobe probe <domain>        look at a host from this machine; free, nothing is stored
       hostprobe report <domain>       the report a service holds; free
       hostprobe refresh <domain>      a live look by a service; paid
       hostprobe batch <domain>...     live looks at up to 10 hosts; paid
       hostprobe rejudge               judge the stored evidence of all hosts again, change nothing

  --json               print JSON             --sarif  print SARIF 2.1.0 (one host)
  --gate ucp,x402      exit with 1 unless these protocols are present, with 7 when one could not be looked at
  --url <url>          the service; otherwise HOSTPROBE_URL, otherwise what npm start runs here
  --max-usd 0.05       spend at most this; without it a terminal is asked and anything else refuses
  --help, --version

HOSTPROBE_KEY holds the private key of the wallet that pays. Exit codes: docs/command-line.md.`;

type Values = ReturnType<typeof parse>['values'];
type OptionName = keyof Values;

/** Which options each command takes; `--help` and `--version` are answered before any. */
const OPTIONS: Readonly<Record<string, readonly OptionName[]>> = {
  probe: ['json', 'sarif', 'gate'],
  report: ['json', 'sarif', 'gate', 'url'],
  refresh: ['json', 'sarif', 'gate', 'url', 'max-usd'],
  batch: ['json', 'gate', 'url', 'max-usd'],
  rejudge: ['json'],
};
/** Contract 1. */
const MAX_BATCH = 10;
const AMOUNT = /^\d{1,9}(?:\.\d{1,6})?$/;

/** Reads the arguments behind the program's name; anything unknown is a sentence, never a guess. */
export function readCommand(args: readonly string[]): CommandReading {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    const said = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
    return wrong(String(said).split(/\n|\. /, 1)[0] ?? '');
  }
  const { values, positionals } = parsed;
  if (values.help) return { ok: true, command: { kind: 'help' } };
  if (values.version) return { ok: true, command: { kind: 'version' } };
  const [name, ...domains] = positionals;
  if (name === undefined) return wrong('no command given');
  const options = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (options === undefined) return wrong('no such command');
  const stray = (Object.keys(values) as OptionName[]).find(
    (option) => values[option] !== undefined && !options.includes(option),
  );
  return stray === undefined ? readNamed(name, domains, values) : wrong(`${name} takes no --${stray}`);
}

function readNamed(name: string, domains: readonly string[], values: Values): CommandReading {
  if (name !== 'rejudge') return readAboutHosts(name, domains, values);
  if (domains.length > 0) return wrong('rejudge takes no domain');
  return { ok: true, command: { kind: 'rejudge', json: values.json ?? false } };
}

function readAboutHosts(name: string, domains: readonly string[], values: Values): CommandReading {
  const { json, sarif, 'max-usd': maxUsd = null, url = null } = values;
  if (json && sarif) return wrong('--json and --sarif exclude each other');
  const gate = readGate(values.gate);
  if (typeof gate === 'string') return wrong(gate);
  if (maxUsd !== null && !AMOUNT.test(maxUsd)) return wrong('--max-usd must be an amount such as 0.05');
  const most = name === 'batch' ? MAX_BATCH : 1;
  if (domains.length === 0 || domains.length > most) {
    return wrong(name === 'batch' ? `batch takes 1 to ${MAX_BATCH} domains` : `${name} takes exactly one domain`);
  }
  const output: Output = json ? 'json' : sarif ? 'sarif' : 'page';
  const readings = domains.map((domain) => HostName.parse(domain));
  const refused = readings.find((reading) => !reading.ok);
  if (refused) return { ok: false, exit: EXIT.wrongDomain, sentence: refused.sentence };
  const hosts = readings.flatMap((reading) => (reading.ok ? [reading.host] : []));
  return { ok: true, command: commandOf(name, hosts, { output, gate, url, maxUsd }) };
}

function commandOf(name: string, hosts: readonly HostName[], { output, gate, url, maxUsd }: Wish & Paid): Command {
  const [host] = hosts as readonly [HostName];
  if (name === 'batch') return { kind: 'batch', hosts, output, gate, url, maxUsd };
  if (name === 'refresh') return { kind: 'refresh', host, output, gate, url, maxUsd };
  return name === 'report' ? { kind: 'report', host, output, gate, url } : { kind: 'probe', host, output, gate };
}

/** @returns the ids, or a sentence; `acp` is refused, since it can never be present (spec 2.6). */
function readGate(list: string | undefined): Gate | string {
  if (list === undefined) return [];
  const ids = [...new Set(list.split(',').map((id) => id.trim().toLowerCase()))];
  const unknown = ids.find((id) => !DETECTOR_IDS.some((known) => known === id));
  if (unknown !== undefined) return `--gate takes protocols of ${DETECTOR_IDS.join(', ')}`;
  if (ids.includes('acp')) return '--gate cannot demand acp, which is never discoverable from outside';
  return ids;
}

function wrong(sentence: string): CommandReading {
  return { ok: false, exit: EXIT.usage, sentence };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      sarif: { type: 'boolean' },
      gate: { type: 'string' },
      url: { type: 'string' },
      'max-usd': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
}
