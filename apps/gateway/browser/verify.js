/*
 * Verifies a report with the verifier of the guard package, either from the files that the service publishes about a
 * host or from files that the visitor saved. Saved files never leave the browser.
 */
import { BundleError, verifyBundle, verifyEvidence } from '../../../packages/guard/src/verify-bundle';
import { StatementError, verifySigned } from '../../../packages/guard/src/verify-statement';
import { relativeTime } from './relative-time';

/** @typedef {import('../../../packages/guard/src/verify-statement').StatementMembers} Claims */
/** @typedef {import('../../../packages/guard/src/verify-bundle').VerifiedBundle} Bundle */

/** @type {Record<string, string>} */
const SENTENCES = {
  not_a_statement: 'This is not a statement.',
  header: 'The header of the statement is not supported.',
  typ: 'This is another type of token, not a statement.',
  alg: 'The statement is signed with an unsupported algorithm.',
  unknown_kid: 'The statement is signed with a key that is not among the keys, or was revoked.',
  signature: 'Invalid signature: the statement was changed, or another key signed it.',
  payload: 'The content of the statement cannot be read.',
  issuer: 'The statement is from another issuer than the one you expected.',
  key_retired: 'The statement is dated after its key was retired.',
  no_evidence: 'The statement does not refer to any evidence.',
  malformed: 'This is not an evidence bundle, or one of its lines was changed.',
  root: 'The bundle is not the one that was signed.',
  body: 'A response body in the bundle was changed.',
  subject: 'The statement is about another host.',
  bytes: 'The report is not the one that the statement refers to.',
  keys: 'The key document does not contain keys.',
};

/** The files that are fetched for a host, in the order of the download links. */
const FILES = ['statement.jwt', 'keys.json', 'evidence.jsonl', 'report.json'];
const KEYS_PATH = '/.well-known/hostprobe-keys.json';
// Several times the size of the largest bundle.
const MAX_BYTES = 32 * 1024 * 1024;

/** An error that the visitor sees in place of a verdict. */
class Refusal extends Error {
  /** @param {string} fault @param {string} sentence */
  constructor(fault, sentence = SENTENCES[fault] ?? '') {
    super(sentence);
    this.fault = fault;
  }
}

const form = /** @type {HTMLFormElement} */ (document.getElementById('files'));
const outcome = /** @type {HTMLElement} */ (document.getElementById('outcome'));
const published = /** @type {HTMLElement} */ (document.getElementById('published'));

/** @param {string} name */
const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** @param {string} name */
async function bytesOf(name) {
  const file = field(name).files?.[0];
  if (!file) return undefined;
  if (file.size > MAX_BYTES) throw new Error('the file is too large');
  return new Uint8Array(await file.arrayBuffer());
}

/** @param {string} path */
async function fetched(path) {
  const answer = await fetch(path).catch(() => undefined);
  if (!answer) throw new Refusal('unreachable', 'The service did not answer. Reload the page to try again.');
  if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
  const { error, code } = /** @type {{ error?: string, code?: string }} */ (await answer.json().catch(() => ({})));
  throw new Refusal(code ?? 'unreachable', error ?? 'The service did not answer.');
}

/** @param {Uint8Array | undefined} bytes */
const textOf = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

/** @param {Uint8Array | undefined} bytes */
function keysIn(bytes) {
  try {
    const set = /** @type {import('../../../packages/guard/src/verify-statement').KeySet} */ (
      JSON.parse(textOf(bytes))
    );
    if (Array.isArray(set.keys) && set.keys.every((key) => typeof key === 'object' && key !== null)) return set;
  } catch {
    // not JSON
  }
  throw new Refusal('keys');
}

/** Throws in a browser without Ed25519, so that the page does not call a signature invalid. */
async function requireEd25519() {
  await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
}

/** @param {string} name @param {...(Node | string)} content */
function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** @param {string} href @param {string} text */
const link = (href, text) => Object.assign(document.createElement('a'), { href, textContent: text });

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** A time in words. @param {number} at in milliseconds since 1970 */
const moment = (at) => `${day.format(at)} UTC (${relativeTime(at)})`;

/** @param {Claims} claims */
const expiry = ({ exp }) => `${exp * 1000 < Date.now() ? 'Expired' : 'Valid until'} ${moment(exp * 1000)}.`;

/**
 * The result for a protocol or for the whole probe in words, from `present@2` or `error:timeout`.
 * @param {string} said
 */
function inWords(said) {
  const [, status = said, mark, rest = ''] = /^(\w+)([@:])(.+)$/.exec(said) ?? [];
  const word = status === 'error' ? 'unknown' : status.replace('_', ' ');
  if (mark === '@') return element('dd', `${word}, version ${rest}`);
  return mark
    ? element('dd', `${word} (`, link(`/reasons#${encodeURIComponent(rest)}`, rest), ')')
    : element('dd', word);
}

/** The content of a statement. @param {Claims} claims */
function content({ sub, observed, outcome: found, cells = {} }) {
  const list = element('dl', element('dt', 'Host'), element('dd', sub));
  list.append(element('dt', 'Observed'), element('dd', moment(Date.parse(observed))));
  for (const [term, said] of Object.entries({ Outcome: found, ...cells }))
    list.append(element('dt', term), inWords(said));
  return list;
}

/**
 * Shows how a verification ended.
 * @param {HTMLElement} place
 * @param {string} fault `ok` if nothing is wrong
 * @param {string} sentence
 * @param {...Node} more
 */
function conclude(place, fault, sentence, ...more) {
  place.className = `check-outcome ${fault === 'ok' ? 'present' : 'error'}`;
  place.dataset['fault'] = fault;
  place.append(Object.assign(element('p', sentence), { className: 'verdict' }), ...more);
}

/** @param {unknown} error @returns {[fault: string, sentence: string]} */
function faultOf(error) {
  if (error instanceof StatementError || error instanceof BundleError) return [error.code, SENTENCES[error.code] ?? ''];
  if (error instanceof Refusal) return [error.fault, error.message];
  return ['unreadable', 'A file cannot be read, or this browser cannot check Ed25519 signatures.'];
}

async function verifyFiles() {
  await requireEd25519();
  const [statement, keys, bundle, report] = await Promise.all(['statement', 'keys', 'bundle', 'report'].map(bytesOf));
  const claims = await verifySigned(textOf(statement).trim(), keysIn(keys), field('issuer').value.trim());
  if (bundle) await verifyEvidence(await verifyBundle(bundle), claims, report);
  const { iss, sub, evidence } = claims;
  const list = content(claims);
  if (!bundle && evidence) {
    const address = `${iss}/api/v1/hosts/${new URL(sub).hostname}/evidence/${evidence.root}`;
    list.append(element('dt', 'Bundle'), element('dd', address));
  }
  if (!bundle && claims.report) list.append(element('dt', 'Report'), element('dd', claims.report.uri));
  const found = bundle
    ? 'The signature is valid, and the bundle is the one that was signed.'
    : 'The signature is valid.';
  conclude(outcome, 'ok', `${found} ${expiry(claims)}`, list);
}

/** Verifies the files that the service publishes about a host, step by step. @param {string} host */
async function verifyHost(host) {
  const issuer = field('issuer').defaultValue;
  const api = `/api/v1/hosts/${host}`;
  const steps = Object.assign(document.createElement('ol'), { className: 'steps' });
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
  const files = new Map();
  /** @param {string} name @param {string} path */
  const keep = async (name, path) => {
    const bytes = await fetched(path);
    files.set(name, bytes);
    return bytes;
  };
  /** @param {string} sentence */
  const passed = (sentence) => {
    steps.append(element('li', sentence));
  };
  published.replaceChildren(steps);
  try {
    await requireEd25519();
    const [token, keys] = await Promise.all([keep('statement.jwt', `${api}/statement`), keep('keys.json', KEYS_PATH)]);
    const claims = await verifySigned(textOf(token).trim(), keysIn(keys), issuer);
    passed(`${issuer} signed the statement, with a key that it publishes.`);
    if (new URL(claims.sub).hostname !== host) throw new Refusal('subject');
    passed(
      `The statement is about ${claims.sub}, as seen on ${moment(Date.parse(claims.observed))}. ${expiry(claims)}`,
    );
    if (claims.report) await verifyPublished(claims, keep, api, passed);
    const verdict = claims.report
      ? 'Verified: nothing was changed since it was signed.'
      : 'Verified, but the probe failed on our side: there is no report.';
    conclude(published, 'ok', verdict, content(claims));
  } catch (error) {
    const [fault, sentence] = faultOf(error);
    const next = element(
      'p',
      link(`/hosts/${host}`, `See the report for ${host}`),
      ', or verify again after a new probe.',
    );
    conclude(published, fault, sentence, next);
  }
  if (files.has('statement.jwt')) published.append(...downloads(host, files));
}

/**
 * @param {Claims} claims
 * @param {(name: string, path: string) => Promise<Uint8Array>} keep
 * @param {string} api
 * @param {(sentence: string) => void} passed
 */
async function verifyPublished(claims, keep, api, passed) {
  const { report, evidence } = claims;
  if (!evidence) throw new BundleError('no_evidence', '');
  const bundle = await verifyBundle(await keep('evidence.jsonl', `${api}/evidence/${evidence.root}`));
  await verifyEvidence(bundle, claims);
  passed(`The evidence is complete and unchanged: ${contentOf(bundle)}.`);
  await verifyEvidence(bundle, claims, await keep('report.json', `${api}/reports/${report?.sha256}`));
  passed('The report is the one that the statement refers to, byte for byte.');
}

/** @param {Bundle} bundle */
function contentOf({ lines, bodies }) {
  const withheld = [...bodies.values()].filter((body) => 'withheld' in body).length;
  const removed = withheld > 0 ? `, ${withheld} of them withheld` : '';
  return `${lines.length} requests and ${bodies.size} response bodies${removed}`;
}

/**
 * Links to the verified files, and the command that verifies them again.
 * @param {string} host
 * @param {Map<string, Uint8Array<ArrayBuffer>>} files
 */
function downloads(host, files) {
  const list = element('ul');
  for (const name of FILES) {
    const bytes = files.get(name);
    if (!bytes) continue;
    const file = link(URL.createObjectURL(new Blob([bytes])), name);
    file.download = `${host}-${name}`;
    list.append(element('li', file));
  }
  const more = files.has('report.json') ? ` --report ${host}-report.json` : '';
  const command = `npx hostprobe verify ${host}-evidence.jsonl --statement ${host}-statement.jwt --keys ${host}-keys.json${more}`;
  const offline = files.has('evidence.jsonl') ? [element('pre', command)] : [];
  return [element('h2', 'Download to check offline'), list, ...offline];
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  outcome.replaceChildren();
  void verifyFiles()
    .catch((/** @type {unknown} */ error) => {
      conclude(outcome, ...faultOf(error));
    })
    .then(() => {
      outcome.focus();
    });
});
form.hidden = false;

const { host } = published.dataset;
if (host) void verifyHost(host);
