import { readFileSync } from 'node:fs';
import { isObject, list, parseUrl, readJson, text, type JsonValue } from '@app/detectors';
import { compareWhole, type ComparedCell, type JudgedBundle, type ReadBundle } from '@app/evidence';
import { KEYS_PATH, railsDigest, statedRails, type KeySet, type StatementMembers } from '@app/signing';
import { z } from 'zod';
import { CommandError, EXIT } from './terminal/exit-codes';
import { oneLine } from './terminal/paint';

/** The keys that the user trusts. */
export interface TrustedKeys extends Pick<KeySet, 'keys'> {
  /** The issuer of the keys if they come from a service; unknown for a file. */
  readonly issuer?: string;
}

const TIMEOUT_MS = 10_000;
const MAX_KEYS_CHARS = 65_536;

/**
 * Reads the keys from a saved document, from the base URL of a service, or from the URL of its key document. Nothing
 * else is ever requested.
 * @throws {CommandError} `usage` for anything but a key document, `serviceUnavailable` if the service does not
 *   return one
 */
export async function trustedKeys(from: string): Promise<TrustedKeys> {
  if (!/^https?:\/\//.test(from)) return keysIn(contentOf(from).toString('utf8'), oneLine(from));
  const url = parseUrl(from);
  const isHere = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol === 'http:' && !isHere)) {
    throw new CommandError(EXIT.usage, 'keys are read from a file or an https URL only');
  }
  const path = url.pathname.endsWith(KEYS_PATH) ? url.pathname.slice(0, -KEYS_PATH.length) : url.pathname;
  const issuer = `${url.origin}${path.replace(/\/$/, '')}`;
  return { ...keysIn(await fetched(`${issuer}${KEYS_PATH}`), issuer), issuer };
}

/**
 * The members of a statement that this command reads. They are validated because even a trusted issuer may sign
 * anything.
 */
const Claims = z.object({
  observed: z.string(),
  detectors: z.string().exactOptional(),
  report: z.object({ sha256: z.string() }).exactOptional(),
  evidence: z.object({ root: z.string(), n: z.number() }).exactOptional(),
  cells: z.record(z.string(), z.string()).exactOptional(),
  rails: z.union([z.array(z.unknown()), z.object({ n: z.number() })]).exactOptional(),
});

/**
 * The members of a statement whose signature is valid for one of the keys. Does not check whether the statement has
 * expired.
 * @throws {CommandError} `broken`
 */
export async function statementIn(token: string, { keys, issuer }: TrustedKeys): Promise<StatementMembers> {
  const { StatementError, verifySigned } = await import('../../../packages/guard/src/index.js');
  try {
    // For keys from a file, only the user knows the issuer.
    const claims = await verifySigned(token, { keys }, issuer ?? statedIssuer(token));
    if (!Claims.safeParse(claims).success) throw new StatementError('payload');
    return claims as unknown as StatementMembers;
  } catch (error) {
    throw error instanceof StatementError ? new CommandError(EXIT.broken, error.message) : error;
  }
}

function statedIssuer(token: string): string {
  const reading = readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return (reading.ok && isObject(reading.value) && text(reading.value['iss'])) || '';
}

/** Compares the payment options of a statement with those of the bundle, if the probe of the bundle tested them. */
export function compareStatedRails(
  bundle: ReadBundle,
  { rails: judged }: JudgedBundle['rails'],
  { rails: stated, iat }: StatementMembers,
): readonly ComparedCell[] {
  if (stated === undefined || iat < Math.floor(Date.parse(bundle.head.from) / 1_000)) return [];
  const again = statedRails(judged);
  const same = JSON.stringify(stated) === JSON.stringify('n' in stated ? railsDigest(again) : again);
  const words = { stated: `${'n' in stated ? stated.n : stated.length} options`, judged: `${again.length} options` };
  return [compareWhole(bundle, { id: 'rails', ...words, same })];
}

/** @throws {CommandError} `usage` if the file cannot be read */
export function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = isObject(error as JsonValue) ? text((error as { code?: JsonValue }).code) : undefined;
    throw new CommandError(EXIT.usage, `cannot read ${oneLine(file)}${reason === undefined ? '' : ` (${reason})`}`);
  }
}

function keysIn(content: string, from: string): TrustedKeys {
  const document = readJson(content);
  if (document.ok && isObject(document.value) && list(document.value['keys'])?.every(isObject)) {
    return document.value as unknown as TrustedKeys;
  }
  throw new CommandError(EXIT.usage, `${from} is not a key document`);
}

async function fetched(url: string): Promise<string> {
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    () => undefined,
  );
  const content = answer?.ok ? await answer.text().catch(() => undefined) : undefined;
  if (content === undefined || content.length > MAX_KEYS_CHARS) {
    throw new CommandError(EXIT.serviceUnavailable, `cannot fetch the key document at ${oneLine(url)}`);
  }
  return content;
}
