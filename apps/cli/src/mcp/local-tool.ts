import { z } from 'zod';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { oneLine } from '../terminal/paint';

/** A tool of `hostprobe mcp`. Its results are JSON that matches `answer`. */
export interface LocalTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** States what the tool does, its price, freshness and failures, and which tool to use instead. */
  readonly description: string;
  /** Each argument has a description that completes "must be ...". */
  readonly input: Input;
  readonly answer: z.ZodObject;
  /** Whether the tool sends requests to the hosts that an agent names. */
  readonly asksHosts: boolean;
  /** @throws {CommandError} with a sentence that a model can act on */
  readonly run: (args: z.infer<Input>) => Promise<object>;
}

/** The result of any failed call. */
export const FAILURE = z.strictObject({ error: z.string(), code: z.string() });

export const DOMAIN = z.string().max(300).describe('the name of a public host, such as shop.example.com');

/** Validates the arguments of a call. @throws {CommandError} `usage`, which names the first invalid argument */
export function argumentsOf<Input extends z.ZodObject>({ input }: LocalTool<Input>, args: unknown): z.infer<Input> {
  const reading = input.safeParse(args);
  if (reading.success) return reading.data;
  const [issue] = reading.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const known = Object.keys(input.shape).join(', ');
    const [key = ''] = issue.keys;
    throw new CommandError(EXIT.usage, `unknown argument ${key.slice(0, 100)}; the arguments are ${known}`);
  }
  const name = String(issue?.path[0] ?? 'arguments');
  const form = (input.shape[name] as z.ZodType | undefined)?.description ?? 'an object';
  throw new CommandError(EXIT.usage, `${name} must be ${form}`);
}

const MAX_SENTENCE = 600;

/** Stable error codes, by exit code of the command line. */
const CODES: Readonly<Record<number, string>> = {
  [EXIT.usage]: 'invalid_arguments',
  [EXIT.wrongDomain]: 'invalid_domain',
  [EXIT.serviceUnavailable]: 'service_unavailable',
};

/** An error as one short line for an agent. An error of this program is reported without its text. */
export function failureOf(error: unknown): z.infer<typeof FAILURE> {
  if (!(error instanceof CommandError)) return { error: 'hostprobe failed; see its log', code: 'fault' };
  return { error: oneLine(error.message).slice(0, MAX_SENTENCE), code: CODES[error.code] ?? 'fault' };
}
