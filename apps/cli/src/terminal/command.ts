import type { HostName } from '@app/hosts';
import type { Gate } from './gate';

/** The format of standard output: text, text with details, JSON, or SARIF for code scanning. */
type Output = 'page' | 'details' | 'json' | 'sarif';

/** The options that the commands about hosts share. */
export interface Presentation {
  readonly output: Output;
  readonly gate: Gate;
}

/** Files that `verify` checks against each other. */
export interface VerifyFiles {
  readonly bundle: string;
  /** Hex; null skips the comparison. */
  readonly root: string | null;
  readonly statement: string | null;
  /** The issuer's key document: a file that was saved before, or the URL of the service. */
  readonly keys: string | null;
  readonly report: string | null;
}

/** A host whose latest report `verify` fetches from a service, together with the files to check it against. */
export interface VerifyHost extends Pick<VerifyFiles, 'keys'> {
  readonly host: HostName;
  readonly url: string;
  /** The folder that the files are saved to; null saves none. */
  readonly save: string | null;
}

/** Options of a local probe: connection overrides, and files to write in addition to the output. */
export interface ProbeFiles {
  /** `host:port=address:port`, comma-separated; null uses the environment variable. */
  readonly connectTo: string | null;
  /** PEM certificates to trust; null uses the environment variable. */
  readonly caFile: string | null;
  readonly sarifFile: string | null;
  readonly commentFile: string | null;
  /** An earlier JSON report that the comment compares with. */
  readonly against: string | null;
}

/** The service that a command calls; null uses the environment variable. */
interface FromService {
  readonly url: string | null;
}

/** The spend limit, a decimal USD string. null: ask on a terminal, and otherwise buy nothing. */
interface Paid extends FromService {
  readonly maxUsd: string | null;
}

/** The blocks of a chain to compare. undefined means from the first relevant block, or up to the newest. */
export interface BlockBounds {
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
  | ({ readonly kind: 'ledger' } & BlockBounds)
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

/** The parsed command line. */
export type Command =
  | ({ readonly kind: 'probe'; readonly host: HostName } & Presentation & ProbeFiles)
  | ({ readonly kind: 'report'; readonly host: HostName } & Presentation & FromService)
  | ({ readonly kind: 'refresh'; readonly host: HostName } & Presentation & Paid)
  | ({ readonly kind: 'batch'; readonly hosts: readonly HostName[] } & Presentation & Paid)
  | ({ readonly kind: 'verify'; readonly json: boolean } & (VerifyFiles | VerifyHost))
  | ({ readonly kind: 'mcp' } & Paid)
  | OperatorCommand
  /** Help, or the version. */
  | { readonly kind: 'text'; readonly text: string };
