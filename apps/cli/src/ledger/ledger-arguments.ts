import { parseArgs, types } from 'node:util';

/** What `npm run ledger -- check` is asked for. */
export interface LedgerArguments {
  /** First block looked at; undefined starts a little before the first attempt of the ledger. */
  readonly fromBlock: bigint | undefined;
  /** Last block looked at; undefined is the newest. */
  readonly toBlock: bigint | undefined;
}

const USAGE = 'usage: npm run ledger -- check [--from-block N] [--to-block N]';

/** @throws Error with the usage, after what is wrong. */
export function readLedgerArguments(args: readonly string[]): LedgerArguments {
  const { values, positionals } = parsed(args);
  if (positionals.length !== 1 || positionals[0] !== 'check') throw new Error(USAGE);
  const [fromBlock, toBlock] = [blockOf('from-block', values['from-block']), blockOf('to-block', values['to-block'])];
  if (fromBlock !== undefined && toBlock !== undefined && fromBlock > toBlock) {
    throw new Error(`--from-block is after --to-block\n${USAGE}`);
  }
  return { fromBlock, toBlock };
}

function parsed(args: readonly string[]) {
  const options = { 'from-block': { type: 'string' }, 'to-block': { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Error(`${types.isNativeError(error) ? error.message : 'wrong arguments'}\n${USAGE}`, {
      cause: error,
    });
  }
}

function blockOf(name: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,18}$/.test(text)) throw new Error(`--${name} must be a block number\n${USAGE}`);
  return BigInt(text);
}
