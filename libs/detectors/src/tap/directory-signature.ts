import { ownValue } from '../formats/json';
import { createHash } from 'node:crypto';
import { isInnerList, parseDictionary, serializeInnerList, serializeItem, type InnerList } from 'structured-headers';
import { headerValues, type Answer } from '../evidence/exchange';
import type { PublicKey } from '../keys/public-key';
import { httpScheme, isSignedBy } from '../keys/signature-schemes';

/** The result of checking the signatures of a directory response. */
export type ResponseSigned = 'verified' | 'invalid' | 'absent';

const TAG = 'http-message-signatures-directory';
/** The longest header in characters, and the tolerated clock difference in seconds. */
const MAX_HEADER = 16_384;
const CLOCK_SEC = 60;

/**
 * Whether one of the keys of a directory signed its response for the requested host (RFC 9421;
 * https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/, directory response).
 */
export function responseSigned(answer: Answer, keys: readonly PublicKey[]): ResponseSigned {
  const inputs = dictionary(answer, 'signature-input');
  const signatures = dictionary(answer, 'signature');
  const tagged = [...(inputs ?? [])].filter(([, [, parameters]]) => parameters.get('tag') === TAG);
  if (tagged.length === 0) return mentionsTag(answer) ? 'invalid' : 'absent';
  const holds = tagged.some(([label, member]) => {
    const signature = signatures?.get(label)?.[0];
    return isInnerList(member) && isBytes(signature) && isSigned(member, new Uint8Array(signature), answer, keys);
  });
  return holds ? 'verified' : 'invalid';
}

/** Signature headers that are not structured fields, or have the tag in the wrong place. */
function mentionsTag(answer: Answer): boolean {
  return headerValues(answer, 'signature-input').some((line) => line.includes(`tag="${TAG}"`));
}

function isSigned(input: InnerList, signature: Uint8Array, answer: Answer, keys: readonly PublicKey[]): boolean {
  const [, parameters] = input;
  const key = keys.find(({ thumbprint }) => thumbprint === parameters.get('keyid'));
  const alg = parameters.get('alg');
  const base = key && (alg === undefined || alg === key.algorithm) ? signatureBase(input, answer) : undefined;
  if (!key || base === undefined || !isCurrent(parameters, Date.parse(answer.observedAt) / 1_000)) return false;
  return isSignedBy(key, httpScheme(key), { data: new TextEncoder().encode(base), signature });
}

function isCurrent(parameters: InnerList[1], nowSec: number): boolean {
  const [created, expires] = [parameters.get('created'), parameters.get('expires')];
  return (
    typeof created === 'number' && typeof expires === 'number' && created <= nowSec + CLOCK_SEC && expires > nowSec
  );
}

/**
 * The signed text (section 2.5): each component once, including the requested host; undefined if a component is
 * unknown.
 */
function signatureBase(input: InnerList, answer: Answer): string | undefined {
  const identifiers = input[0].map((component) => serializeItem(component));
  const values = input[0].map(([name, parameters]) => {
    const ofRequest = parameters.get('req') === true;
    if (typeof name !== 'string' || parameters.size > (ofRequest ? 1 : 0)) return undefined;
    return ofRequest ? requestValue(name, answer) : responseValue(name, answer);
  });
  if (!identifiers.includes('"@authority";req') || new Set(identifiers).size < identifiers.length) return undefined;
  if (values.includes(undefined)) return undefined;
  const lines = identifiers.map((identifier, i) => `${identifier}: ${values[i]}`);
  return [...lines, `"@signature-params": ${serializeInnerList(input)}`].join('\n');
}

function requestValue(name: string, { finalUrl, method }: Answer): string | undefined {
  const { host, pathname, protocol } = new URL(finalUrl);
  const values: Readonly<Record<string, string>> = {
    '@authority': host,
    '@method': method,
    '@path': pathname,
    '@scheme': protocol.slice(0, -1),
    '@target-uri': finalUrl,
  };
  return ownValue(values, name);
}

function responseValue(name: string, answer: Answer): string | undefined {
  if (name === '@status') return String(answer.status);
  const lines = headerValues(answer, name);
  if (lines.length === 0 || (name === 'content-digest' && !isDigestOf(answer))) return undefined;
  return lines.map((line) => line.trim()).join(', ');
}

/** Whether `Content-Digest` (RFC 9530) matches the received body, which is requested without compression. */
function isDigestOf(answer: Answer): boolean {
  const stated = dictionary(answer, 'content-digest');
  const digests = [
    ['sha-256', Buffer.from(answer.sha256, 'hex')],
    ['sha-512', createHash('sha512').update(answer.body).digest()],
  ] as const;
  const known = digests.filter(([name]) => stated?.has(name));
  return (
    known.length > 0 &&
    known.every(([name, digest]) => {
      const value = stated?.get(name)?.[0];
      return isBytes(value) && digest.equals(new Uint8Array(value));
    })
  );
}

function isBytes(value: unknown): value is ArrayBuffer {
  return value instanceof ArrayBuffer;
}

function dictionary(answer: Answer, name: string): ReturnType<typeof parseDictionary> | undefined {
  const value = headerValues(answer, name).join(', ');
  try {
    return value.length > MAX_HEADER ? undefined : parseDictionary(value);
  } catch {
    return undefined;
  }
}
