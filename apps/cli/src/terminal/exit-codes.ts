import { HostName } from '@app/hosts';

/**
 * The exit codes. Scripts depend on them, so a number never changes its meaning. docs/command-line.md lists them,
 * and a test keeps the two lists equal.
 */
export const EXIT = {
  /** Done; every protocol of `--gate` is present. */
  done: 0,
  /** A protocol of `--gate` is not present; or the name is not in the DNS; or the ledger differs from the chain. */
  failed: 1,
  /** The command line or a variable is wrong; or the ledger cannot be compared with the chain. */
  usage: 2,
  /** The domain is not the name of a public host. */
  wrongDomain: 3,
  /** The service is down, or cannot serve the command now. */
  serviceUnavailable: 4,
  /** The price is above the spend limit, or no limit was given; nothing was signed. */
  overLimit: 5,
  /** There is no wallet, or its payment was refused. */
  notPaid: 6,
  /** A protocol of `--gate` could not be checked; none is known to be missing. */
  undecided: 7,
  /** The detectors of this release get other results from a bundle than stated. */
  differs: 8,
  /** A bundle or a statement is not authentic. */
  broken: 9,
  /** This program failed (EX_SOFTWARE of sysexits.h). */
  fault: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that ends a command with one clear sentence and an exit code. */
export class CommandError extends Error {
  constructor(
    readonly code: ExitCode,
    sentence: string,
  ) {
    super(sentence);
    this.name = 'CommandError';
  }
}

/** Parses a domain from a user or an agent. @throws {CommandError} `wrongDomain` */
export function hostOf(domain: string): HostName {
  const reading = HostName.parse(domain);
  if (!reading.ok) throw new CommandError(EXIT.wrongDomain, reading.sentence);
  return reading.host;
}
