/*
 * Verifies a report with the verifier of the guard package. Everything runs in the browser on files that the visitor
 * saved: the content security policy of the page forbids any connection.
 */
import { BundleError, verifyBundle, verifyEvidence } from '../../../packages/guard/src/verify-bundle';
import { StatementError, verifySigned } from '../../../packages/guard/src/verify-statement';

/** @type {Record<string, string>} */
const SENTENCES = {
  not_a_statement: 'The statement file is not a statement.',
  header: 'The header of the statement is not supported.',
  typ: 'The statement file is another type of token.',
  alg: 'The statement is signed with an unsupported algorithm.',
  unknown_kid: 'The statement is signed with a key that is not among the keys you chose.',
  signature: 'Invalid signature: the statement was changed, or another key signed it.',
  payload: 'The content of the statement cannot be read.',
  issuer: 'The statement is from another issuer than the one you entered.',
  key_retired: 'The statement is dated after its key was retired.',
  no_evidence: 'The statement does not refer to any evidence.',
  malformed: 'The bundle file is not an evidence bundle, or one of its lines was changed.',
  root: 'The bundle is not the one that was signed.',
  body: 'A response body in the bundle was changed.',
  subject: 'The statement and the bundle are about different hosts.',
  bytes: 'The report is not the one that the statement refers to.',
  keys: 'The keys file does not contain keys.',
};

// Several times the size of the largest bundle.
const MAX_BYTES = 32 * 1024 * 1024;

const form = /** @type {HTMLFormElement} */ (document.getElementById('check'));
const outcome = /** @type {HTMLElement} */ (document.getElementById('outcome'));

/** @param {string} name */
const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** @param {string} name */
async function bytesOf(name) {
  const file = field(name).files?.[0];
  if (!file) return undefined;
  if (file.size > MAX_BYTES) throw new Error('the file is too large');
  return new Uint8Array(await file.arrayBuffer());
}

/** @param {Uint8Array | undefined} bytes */
const textOf = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

/** @param {string} text */
function keysIn(text) {
  try {
    const set = /** @type {import('../../../packages/guard/src/verify-statement').KeySet} */ (JSON.parse(text));
    const isSet = Array.isArray(set.keys) && set.keys.every((key) => typeof key === 'object' && key !== null);
    return isSet ? set : undefined;
  } catch {
    return undefined;
  }
}

async function verified() {
  // Fails in a browser without Ed25519, which must not call a signature invalid.
  await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
  const [statement, keys, bundle, report] = await Promise.all(['statement', 'keys', 'bundle', 'report'].map(bytesOf));
  const set = keysIn(textOf(keys));
  if (!set) {
    showFault('keys');
    return;
  }
  const claims = await verifySigned(textOf(statement).trim(), set, field('issuer').value.trim());
  if (bundle) await verifyEvidence(await verifyBundle(bundle), claims, report);
  show(claims, !bundle);
}

/** @param {string} fault @param {string} sentence */
function showFault(fault, sentence = SENTENCES[fault] ?? '') {
  outcome.className = fault === 'ok' ? 'present' : 'error';
  outcome.dataset['fault'] = fault;
  outcome.replaceChildren(element('p', sentence));
}

/** @param {string} name @param {string} text */
function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

/**
 * @param {import('../../../packages/guard/src/verify-statement').StatementMembers} claims
 * @param {boolean} isAlone whether no bundle was given
 */
function show({ iss, sub, observed, exp, outcome: found, cells = {}, evidence, report }, isAlone) {
  showFault(
    'ok',
    isAlone ? 'The signature is valid.' : 'The signature is valid, and the bundle is the one that was signed.',
  );
  const list = document.createElement('dl');
  const ends = new Date(exp * 1000);
  const rows = {
    Host: sub,
    Observed: observed,
    [ends.getTime() < Date.now() ? 'Expired' : 'Expires']: ends.toISOString(),
    Outcome: found,
    ...cells,
    ...(isAlone && evidence && { Bundle: `${iss}/api/v1/hosts/${new URL(sub).hostname}/evidence/${evidence.root}` }),
    ...(isAlone && report && { Report: report.uri }),
  };
  for (const [term, text] of Object.entries(rows)) list.append(element('dt', term), element('dd', text));
  outcome.append(list);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void verified()
    .catch((/** @type {unknown} */ error) => {
      if (error instanceof StatementError || error instanceof BundleError) showFault(error.code);
      else showFault('unreadable', 'A file cannot be read, or this browser cannot check Ed25519 signatures.');
    })
    .then(() => {
      outcome.focus();
    });
});
form.hidden = false;
