import { redirectTarget } from './control';
import { defineDetector, type Finding, type FixAdvice, type Judgement } from './detector';
import { headerValues, mediaType, type Answer, type ProbeRequest } from './exchange';
import type { HostEvidence } from './host-evidence';
import { isObject, list, member, type JsonObject, type JsonValue } from './json';
import { leakedPrivateKey, showsPrivateKey } from './private-key';
import type { Reading } from './reading';
import { readSigningKey, type SigningKey } from './tap/signing-key';
import { exchangeOf, nothingFound } from './verdict';

const PATH = '/.well-known/http-message-signatures-directory';
const MEDIA_TYPE = 'application/http-message-signatures-directory+json';
const MAX_KEYS = 100;

/** Verifiers must not follow redirects, so the first answer counts. */
const probe = (url: string): ProbeRequest => ({
  method: 'GET',
  url,
  accept: `${MEDIA_TYPE}, application/json;q=0.9, */*;q=0.1`,
  maxBytes: 262_144,
  redirects: 'manual',
});

/** Where a redirect of the directory leads, unless the host redirects nonsense there as well. */
function redirectedTo(seen: HostEvidence): string | undefined {
  const reading = seen.read(PATH);
  if (reading.kind !== 'redirect') return undefined;
  const target = seen.resolve(reading.location, reading.answer.finalUrl);
  const habitual = seen.controls.some((control) => redirectTarget(control) === target?.split(/[?#]/, 1)[0]);
  return target === undefined || habitual || !seen.sameSite(target) ? undefined : target;
}

function judge(seen: HostEvidence): Judgement {
  const first = seen.read(PATH);
  const target = redirectedTo(seen);
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

/** A leaked key is told wherever it stands in the document, and never quoted. */
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
    const { answer, habitual } = reading;
    const details = { note: 'html_not_machine_document', ...(habitual ? { catchAll: true } : {}) };
    return { status: habitual ? 'absent' : 'partial', details, decidedBy: [answer] };
  }
  if (reading.kind === 'json') return judgeKeys(reading.answer, reading.value);
  if (reading.kind === 'broken_json' || reading.kind === 'text') {
    return { status: 'partial', details: { note: 'not_json' }, decidedBy: [reading.answer] };
  }
  if (reading.kind === 'empty') {
    return { status: 'partial', details: { note: 'empty_body' }, decidedBy: [reading.answer] };
  }
  return nothingFound([reading]);
}

function judgeKeys(answer: Answer, document: JsonValue): Judgement {
  const stated = list(member(document, 'keys'));
  const keys = (stated ?? [])
    .slice(0, MAX_KEYS)
    .map((key) => readSigningKey(key, Date.parse(answer.observedAt) / 1_000));
  const active = keys.filter((key) => key.active);
  const kids = keys.flatMap((key) => key.kidIsThumbprint ?? []);
  const note = active.length > 0 ? undefined : noteOf(stated !== undefined, keys);
  const mediaTypeOk = mediaType(answer) === MEDIA_TYPE;
  const details: JsonObject = {
    ...(note === undefined ? {} : { note }),
    // What such a directory says: this host's agents sign their requests. It does not say that it sells to agents.
    meaning: 'agent_key_directory',
    keys: isObject(document) ? Object.keys(document) : [],
    keyCount: stated?.length ?? 0,
    activeKeyCount: active.length,
    algs: [...new Set(keys.flatMap(({ algorithm }) => algorithm ?? []))],
    mediaTypeOk,
    ...(kids.length > 0 ? { kidThumbprintOk: kids.every(Boolean) } : {}),
    signed: headerValues(answer, 'signature-input').some((line) =>
      line.includes('tag="http-message-signatures-directory"'),
    ),
  };
  return {
    status: active.length > 0 ? 'present' : 'partial',
    details,
    findings: findingsOf(keys, mediaTypeOk),
    decidedBy: [answer],
  };
}

function noteOf(hasKeys: boolean, keys: readonly SigningKey[]): string {
  if (!hasKeys) return 'no_keys_member';
  if (keys.length === 0) return 'no_keys';
  if (keys.some(({ faults }) => faults.includes('private_key_exposed'))) return 'private_key_exposed';
  return keys.some(({ usable }) => usable) ? 'no_active_key' : 'no_usable_key';
}

function findingsOf(keys: readonly SigningKey[], mediaTypeOk: boolean): readonly Finding[] {
  return [
    ...(mediaTypeOk ? [] : [{ id: 'media_type_unexpected', at: 'content-type' }]),
    ...keys.flatMap(({ faults }, index) => faults.map((id) => ({ id, at: `keys[${index}]` }))),
  ];
}

const EXAMPLE =
  '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"<public key: 32 octets as 43 characters of base64url>","use":"sig"}]}';
const PUBLISH = `Serve ${PATH} over https with status 200, without a redirect, as ${MEDIA_TYPE}:\n${EXAMPLE}`;

const PARTIAL: Readonly<Record<string, string>> = {
  html_not_machine_document: 'The key directory answered with an HTML page.',
  not_json: 'The key directory is not valid JSON.',
  empty_body: 'The key directory answered with an empty body.',
  no_keys_member: 'The key directory has no list of keys.',
  no_keys: 'The key directory lists no key.',
  no_usable_key: 'No key in the directory decodes to a public signing key.',
  no_active_key: 'Every key in the directory is expired or not yet valid.',
};

function advise(judgement: Judgement): readonly FixAdvice[] {
  const note = judgement.details?.['note'];
  const leaked = (judgement.findings ?? []).some(({ id }) => id === 'private_key_exposed');
  const leak: FixAdvice = {
    kind: 'private_key',
    problem: 'The key directory publishes a private key: anyone can sign in the name of this host.',
    fix: `Withdraw the key now and create a new pair. Publish the public part only: no member d, p, q or k.\n${EXAMPLE}`,
  };
  if (judgement.status === 'absent') {
    return [
      {
        kind: 'missing',
        problem: 'No HTTP message signatures directory was found.',
        fix: `If agents of this host sign their requests, publish their public keys. ${PUBLISH}`,
      },
    ];
  }
  if (note === 'directory_redirected') {
    const redirect: FixAdvice = {
      kind: 'redirect',
      problem: 'The key directory is behind a redirect, which verifiers must not follow.',
      fix: `Answer on this very host. ${PUBLISH}`,
    };
    return leaked ? [leak, redirect] : [redirect];
  }
  if (leaked) return [leak];
  if (judgement.status !== 'partial') return [];
  return [
    {
      kind: 'partial',
      problem: PARTIAL[typeof note === 'string' ? note : ''] ?? 'The key directory holds no usable key.',
      fix: PUBLISH,
    },
  ];
}

/**
 * TAP, the Trusted Agent Protocol, and Web Bot Auth: the directory of keys with which a host's agents sign HTTP
 * messages (RFC 9421). Spec 2.6; contract 8: a directory without a usable key is `partial`.
 */
export const tap = defineDetector({
  id: 'tap',
  name: { short: 'TAP', long: 'Trusted Agent Protocol' },
  spec: 'https://datatracker.ietf.org/doc/draft-meunier-webbotauth-httpsig-protocol/',
  probes: [probe(PATH)],
  followUps: (seen) => {
    const target = redirectedTo(seen);
    return target === undefined ? [] : [probe(target)];
  },
  judge,
  advise,
});
