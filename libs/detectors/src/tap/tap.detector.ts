import { defined } from '@app/platform';
import { defineDetector } from '../judgement/detector';
import { leakedPrivateKey } from '../documents/private-key';
import { showsPrivateKey } from '../quoting/key-text';
import { unreadable } from '../documents/well-known-json';
import { mediaType, type Answer, type ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import type { Reading } from '../evidence/reading';
import { parseUrl } from '../formats/parse-url';
import { isObject, list, member, type JsonObject, type JsonValue, text } from '../formats/json';
import { detailOf, findingsWhere, type Finding, type FixAdvice, type Judgement } from '../judgement/judgement';
import { exchangeOf, nothingFound } from '../judgement/nothing-found';
import { keysOfSet, publicKeyOf } from '../keys/public-key';
import { responseSigned } from './directory-signature';
import { readSigningKey, type SigningKey } from './signing-key';

/** The fields of a Signature Agent Card in a report, with their original names. */
const OWN = { clientId: 'client_id', name: 'client_name', uri: 'client_uri', jwksUri: 'jwks_uri' } as const;
const BEHAVIOUR = {
  userAgent: 'expected-user-agent',
  productToken: 'rfc9309-product-token',
  trigger: 'trigger',
  purpose: 'purpose',
  rateExpectation: 'rate-expectation',
  ipsUri: 'ips_uri',
} as const;
const MAX_CONTACTS = 5;

/**
 * The identity of an agent (draft-meunier-webbotauth-registry-04, Signature Agent Card), if the document is such a
 * card. Cards have no path of their own; some hosts serve one in place of their keys.
 */
function signatureAgentOf(document: JsonValue): JsonObject | undefined {
  const behaviour = member(document, 'web_bot_auth');
  if (!isObject(behaviour)) return undefined;
  const contacts = list(member(document, 'contacts'))
    ?.slice(0, MAX_CONTACTS)
    .flatMap((one) => text(one) ?? []);
  return defined({ ...textsOf(document, OWN), contacts, ...textsOf(behaviour, BEHAVIOUR) });
}

function textsOf(value: JsonValue, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(names).map(([shown, name]) => [shown, text(member(value, name))]));
}

const PATH = '/.well-known/http-message-signatures-directory';
const MEDIA_TYPE = 'application/http-message-signatures-directory+json';
const MAX_KEYS = 100;

/** Verifiers must not follow redirects, so the first answer counts. */
const probe = (url: string): ProbeRequest => ({
  method: 'GET',
  url,
  accept: `${MEDIA_TYPE}, application/json;q=0.9, */*;q=0.1`,
  // A digest signed by the answer covers the content as sent.
  headers: { 'accept-encoding': 'identity' },
  maxBytes: 262_144,
  redirects: 'manual',
});

/** The redirect target of the directory, if a request may follow it. */
function redirectedTo(seen: HostEvidence): string | undefined {
  const reading = seen.read(PATH);
  if (reading.kind !== 'redirect') return undefined;
  const target = parseUrl(reading.location, reading.answer.finalUrl);
  const asked = target?.protocol === 'https:' && target.port === '' && target.username === '' && target.password === '';
  return asked && seen.sameSite(target.href) ? target.href : undefined;
}

function judge(seen: HostEvidence): Judgement {
  const first = seen.read(PATH);
  const target = redirectedTo(seen);
  if (first.kind === 'redirect' && target === undefined) {
    const details = { reason: 'redirect_refused', statusCode: first.answer.status };
    return { status: 'error', details, decidedBy: [first.answer] };
  }
  const reading = target === undefined ? first : seen.read(target);
  const judgement = guarded(judgeDirectory(reading), reading);
  if (first.kind !== 'redirect') return judgement;
  const decidedBy = [...new Set([first.answer, ...judgement.decidedBy])];
  if (judgement.status !== 'present') return { ...judgement, decidedBy };
  return {
    ...judgement,
    status: 'partial',
    details: { ...judgement.details, note: 'directory_redirected', redirected: true },
    decidedBy,
  };
}

/** Reports a private key anywhere in the document, without quoting it. */
function guarded(judgement: Judgement, reading: Reading): Judgement {
  const exchange = exchangeOf(reading);
  const at =
    reading.kind === 'json'
      ? leakedPrivateKey(reading.value)
      : exchange?.kind === 'answer' && showsPrivateKey(exchange.body)
        ? ''
        : undefined;
  if (at === undefined) return judgement;
  const findings = judgement.findings ?? [];
  const told = findings.some(({ id }) => id === 'private_key_exposed');
  return {
    ...judgement,
    findings: told ? findings : [...findings, { id: 'private_key_exposed', at: at || PATH }],
    withholdExcerpts: true,
  };
}

function judgeDirectory(reading: Reading): Judgement {
  if (reading.kind === 'html') {
    const { answer, catchAll } = reading;
    const details = { note: 'html_not_machine_document', catchAll: catchAll || undefined };
    return { status: catchAll ? 'absent' : 'partial', details, decidedBy: [answer] };
  }
  if (reading.kind === 'json') return judgeKeys(reading.answer, reading.value);
  const note = reading.kind === 'broken_json' ? 'not_json' : unreadable(reading)?.note;
  const exchange = exchangeOf(reading);
  if (note === undefined || exchange === undefined) return nothingFound([reading]);
  return { status: 'partial', details: { note }, decidedBy: [exchange] };
}

function judgeKeys(answer: Answer, document: JsonValue): Judgement {
  const stated = list(member(document, 'keys'));
  const keys = (stated ?? [])
    .slice(0, MAX_KEYS)
    .map((key) => readSigningKey(key, Date.parse(answer.observedAt) / 1_000));
  const active = keys.filter((key) => key.active);
  const kids = keys.flatMap((key) => key.kidIsThumbprint ?? []);
  const note = active.length > 0 ? undefined : noteOf(stated !== undefined, keys);
  const published = (keysOfSet(document) ?? []).slice(0, MAX_KEYS).flatMap((key) => publicKeyOf(key) ?? []);
  const details: JsonObject = {
    note,
    meaning: 'agent_key_directory',
    description: MEANING,
    keys: isObject(document) ? Object.keys(document) : [],
    keyCount: stated?.length ?? 0,
    activeKeyCount: active.length,
    algs: [...new Set(keys.flatMap(({ algorithm }) => algorithm ?? []))],
    mediaTypeOk: mediaType(answer) === MEDIA_TYPE,
    kidThumbprintOk: kids.length > 0 ? kids.every(Boolean) : undefined,
    // A missing signature does not change the status, because verifiers may know the keys from elsewhere.
    responseSigned: responseSigned(answer, published),
    signatureAgent: signatureAgentOf(document),
  };
  return {
    status: active.length > 0 ? 'present' : 'partial',
    details,
    findings: findingsOf(keys, details),
    decidedBy: [answer],
  };
}

function noteOf(hasKeys: boolean, keys: readonly SigningKey[]): string {
  if (!hasKeys) return 'no_keys_member';
  if (keys.length === 0) return 'no_keys';
  if (keys.some(({ faults }) => faults.includes('private_key_exposed'))) return 'private_key_exposed';
  if (keys.some(({ usable }) => usable)) return 'no_active_key';
  return keys.some(({ faults }) => faults.includes('test_key')) ? 'test_key' : 'no_usable_key';
}

function findingsOf(keys: readonly SigningKey[], details: JsonObject): readonly Finding[] {
  const { note, mediaTypeOk, responseSigned: signed } = details;
  return [
    ...findingsWhere([
      [mediaTypeOk === false, 'media_type_unexpected', 'content-type'],
      [signed === 'invalid', 'response_signature_invalid', 'signature'],
      [note === 'no_keys_member', 'keys_missing', 'keys'],
      [note === 'no_active_key', 'keys_expired', 'keys'],
    ]),
    ...keys.flatMap(({ faults }, index) => faults.map((id) => ({ id, at: `keys[${index}]` }))),
  ];
}

const MEANING =
  'Agents of this host sign their requests with these keys. Merchants register with the payment network, so a probe cannot tell whether this host, as a merchant, accepts TAP.';

const EXAMPLE =
  '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"<public key: 32 bytes as 43 characters of base64url>","use":"sig"}]}';
const PUBLISH = `Serve ${PATH} over https with status 200, without a redirect, as ${MEDIA_TYPE}:\n${EXAMPLE}`;

const PARTIAL: Readonly<Record<string, string>> = {
  html_not_machine_document: 'The key directory answered with an HTML page.',
  not_json: 'The key directory is not valid JSON.',
  empty_body: 'The key directory answered with an empty body.',
  no_keys_member: 'The key directory has no "keys" list.',
  no_keys: 'The key directory is empty.',
  no_usable_key: 'No key in the directory is a valid public signing key.',
  test_key:
    'The key directory publishes a test key from a specification: anybody can sign with it, so verifiers reject it.',
  no_active_key: 'Every key in the directory is expired or not yet valid.',
};

const LEAK: FixAdvice = {
  kind: 'private_key',
  problem: 'The key directory publishes a private key: anybody can sign as this host.',
  fix: `Revoke the key now and create a new pair. Publish only the public part, without the fields d, p, q and k.\n${EXAMPLE}`,
};

const REDIRECT: FixAdvice = {
  kind: 'redirect',
  problem: 'The key directory is behind a redirect, which verifiers must not follow.',
  fix: `Serve it on this host itself. ${PUBLISH}`,
};

function advise(judgement: Judgement): readonly FixAdvice[] {
  const note = detailOf(judgement, 'note');
  const leaked = (judgement.findings ?? []).some(({ id }) => id === 'private_key_exposed');
  if (judgement.status === 'absent') {
    return [
      {
        kind: 'missing',
        problem: 'No HTTP message signatures directory was found.',
        fix: `If your agents sign their requests, publish their public keys. ${PUBLISH}`,
      },
    ];
  }
  if (note === 'directory_redirected') {
    return leaked ? [LEAK, REDIRECT] : [REDIRECT];
  }
  if (leaked) return [LEAK];
  if (judgement.status !== 'partial') return [];
  return [
    {
      kind: 'partial',
      problem: PARTIAL[note ?? ''] ?? 'The key directory has no usable key.',
      fix: PUBLISH,
    },
  ];
}

/**
 * TAP, the Trusted Agent Protocol, and Web Bot Auth: the directory of keys with which a host's agents sign HTTP
 * messages (RFC 9421). By behaviour 5.4, a directory without a usable key is `partial`.
 */
export const tap = defineDetector({
  id: 'tap',
  name: { short: 'TAP', long: 'Trusted Agent Protocol' },
  spec: 'https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/',
  rules: { release: 'draft-ietf-webbotauth-httpsig-protocol-01', checked: '2026-11-22' },
  gain: {
    priority: 3,
    effort: 'hours',
    why: 'Other sites use these keys to verify requests signed by agents of this host.',
  },
  probes: [probe(PATH)],
  followUps: (seen) => {
    const target = redirectedTo(seen);
    return target === undefined ? [] : [probe(target)];
  },
  judge,
  advise,
});
