import { defineDetector } from '../judgement/detector';
import { declaredUrlFindings, unusable } from '../documents/declared-url';
import { privateKeyFixes, withDocumentFaults } from '../documents/document-faults';
import { unreadable } from '../documents/well-known-json';
import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { isObject, member, text, type JsonObject } from '../formats/json';
import { findingsWhere, type Finding, type FixAdvice, type Judgement } from '../judgement/judgement';
import { nothingFound } from '../judgement/nothing-found';

/** The manifest path of ChatGPT plugins (2023 to 2024). */
const PATH = '/.well-known/ai-plugin.json';

/** The allowed authorization types of an http kind of `auth`. */
const HTTP_SCHEMES: readonly string[] = ['bearer', 'basic'];

const AUTH_TYPES: readonly string[] = ['none', 'user_http', 'service_http', 'oauth'];

/** The maximum text lengths of the plugin program, in characters. */
const LIMITS = {
  name_for_human: 50,
  name_for_model: 50,
  description_for_human: 120,
  description_for_model: 8_000,
} as const;

/** Texts that the program required, in addition to those that determine the status. */
const EXPECTED = [
  'name_for_human',
  'name_for_model',
  'description_for_human',
  'description_for_model',
  'logo_url',
  'contact_email',
  'legal_info_url',
] as const;

function judge(seen: HostEvidence): Judgement {
  const reading = seen.read(PATH);
  if (reading.kind === 'json' && isObject(reading.value)) return judgeManifest(reading.value, reading.answer, seen);
  // A page that the host shows for every path says nothing about this one.
  if (reading.kind === 'html' && reading.catchAll) {
    return nothingFound([reading], { note: 'html_not_machine_document', catchAll: true });
  }
  const unread = unreadable(reading);
  if (!unread) return nothingFound([reading]);
  return { status: 'partial', details: { note: unread.note, path: PATH }, decidedBy: [unread.answer] };
}

function judgeManifest(manifest: JsonObject, answer: Answer, seen: HostEvidence): Judgement {
  const version = text(manifest['schema_version']);
  const name = text(manifest['name_for_human']) ?? text(manifest['name_for_model']);
  const stated = text(member(manifest['api'], 'url'));
  const url = stated === undefined ? undefined : seen.resolve(stated, answer.finalUrl);
  const required = { schema_version: version, name_for_model: name, 'api.url': url };
  const missing = Object.entries(required).flatMap(([member, value]) => (value === undefined ? [member] : []));
  const details = {
    name,
    keys: Object.keys(manifest),
    endpoint: url,
    path: PATH,
    auth: text(member(manifest['auth'], 'type')),
    ...(missing.length > 0 && { note: 'members_missing', missing }),
  };
  // For other JSON, a list of all missing fields would not be useful.
  const findings =
    missing.length === 3
      ? []
      : [...memberFindings(manifest), ...(stated === undefined ? [] : urlFindings(stated, url, seen))];
  const status = missing.length === 0 ? 'present' : 'partial';
  return { status, version: version ?? null, details, findings, decidedBy: [answer] };
}

/** Faults of the texts, by the rules of the retired program. */
function memberFindings(manifest: JsonObject): readonly Finding[] {
  const version = text(manifest['schema_version']);
  const auth = text(member(manifest['auth'], 'type')) ?? '';
  const nameForModel = text(manifest['name_for_model']);
  const tooLong = Object.entries(LIMITS).filter(
    ([name, limit]) => typeof manifest[name] === 'string' && manifest[name].length > limit,
  );
  const unnamedScheme =
    /^(?:user|service)_http$/.test(auth) &&
    !HTTP_SCHEMES.includes(text(member(manifest['auth'], 'authorization_type')) ?? '');
  return findingsWhere([
    [version !== undefined && version !== 'v1', 'unknown_schema_version', '$.schema_version'],
    [unnamedScheme, 'authorization_type_missing', '$.auth.authorization_type'],
    [!AUTH_TYPES.includes(auth), 'unknown_auth_type', '$.auth.type'],
    [member(manifest['api'], 'type') !== 'openapi', 'api_type_not_openapi', '$.api.type'],
    [!/^[A-Za-z0-9_]{1,200}$/.test(nameForModel ?? 'name'), 'name_for_model_not_an_identifier', '$.name_for_model'],
    ...EXPECTED.map((name) => [text(manifest[name]) === undefined, 'member_missing', `$.${name}`] as const),
    ...tooLong.map(([name]) => [true, 'text_too_long', `$.${name}`] as const),
  ]);
}

/** Faults of `api.url`, and whether it answered another detector. */
function urlFindings(stated: string, url: string | undefined, seen: HostEvidence): readonly Finding[] {
  const at = '$.api.url';
  if (url === undefined) return [{ id: 'not_a_url', at }];
  const asked = seen.at(url);
  const dead = asked !== undefined && (asked.kind === 'failure' || seen.readingOf(asked).kind === 'missing');
  return [
    ...findingsWhere([[unusable(stated) === 'not_a_url', 'api_url_not_absolute', at]]),
    ...declaredUrlFindings(url, at),
    ...findingsWhere([[dead, 'api_unreachable', url]]),
  ];
}

const EXAMPLE = `{
  "schema_version": "v1",
  "name_for_human": "<name of the site>",
  "name_for_model": "<name_of_the_site>",
  "description_for_human": "Search the catalog of <name of the site>.",
  "description_for_model": "Use it to search products and prices of <name of the site>.",
  "auth": { "type": "none" },
  "api": { "type": "openapi", "url": "https://{host}/openapi.json" },
  "logo_url": "https://{host}/logo.png",
  "contact_email": "api@{host}",
  "legal_info_url": "https://{host}/legal"
}`;

function advise(judgement: Judgement): readonly FixAdvice[] {
  if (judgement.status === 'absent') {
    return [
      {
        kind: 'missing',
        problem: 'No ai-plugin manifest was found. OpenAI retired plugins in April 2024.',
        fix: `No action needed. Publish an OpenAPI description at /openapi.json or an MCP server card instead. Only for agents that still read plugin manifests, serve ${PATH} as application/json:\n${EXAMPLE}`,
      },
    ];
  }
  const leaked = privateKeyFixes(judgement, 'The plugin manifest');
  if (judgement.status !== 'partial') return leaked;
  const { missing, note } = judgement.details ?? {};
  const problem =
    note === 'members_missing' && Array.isArray(missing)
      ? `${PATH} lacks ${missing.join(', ')}.`
      : note === 'html_not_machine_document'
        ? `${PATH} answered with an HTML page.`
        : `${PATH} is not a JSON object.`;
  return [
    ...leaked,
    {
      kind: 'partial',
      problem,
      fix: `Remove the retired manifest, or serve it as strict JSON without comments:\n${EXAMPLE}`,
    },
  ];
}

/** The plugin manifest of 2023, which some agent runtimes still read: https://github.com/openai/plugins-quickstart. */
export const aiPlugin = defineDetector({
  id: 'ai-plugin',
  name: { short: 'AI plugin', long: 'plugin manifest' },
  spec: 'https://github.com/openai/plugins-quickstart',
  rules: { release: 'v1', checked: '2026-11-22' },
  gain: {
    priority: 3,
    effort: 'minutes',
    why: 'Retired: OpenAI ended plugins in April 2024, and few agents still read this manifest.',
  },
  retired: true,
  probes: [{ method: 'GET', url: PATH }],
  judge: (seen) => withDocumentFaults(judge(seen), seen),
  advise,
});
