/*
 * Verifies a report with the verifier of the guard. Everything is done in the browser with files that were saved before:
 * the policy of the page lets it connect to no address.
 */
import { BundleError, verifyBundle, verifyEvidence } from '../../../packages/guard/src/verify-bundle';
import { StatementError, verifySigned } from '../../../packages/guard/src/verify-statement';

/** @type {Record<string, string>} */
const SENTENCES = {
  not_a_statement: 'The statement is no statement.',
  header: 'The statement has a header that is not read.',
  typ: 'The statement is a token of another kind.',
  alg: 'The statement is signed in a way that is not taken.',
  unknown_kid: 'The statement is signed with a key that is not among the keys you chose.',
  signature: 'The signature does not hold: the statement was changed, or another key signed it.',
  payload: 'The statement says nothing that can be read.',
  issuer: 'The statement is of another issuer than the one you named.',
  key_retired: 'The statement is dated after its key ended.',
  no_evidence: 'The statement names no evidence.',
  malformed: 'The bundle is no bundle, or a line of it was changed.',
  root: 'A line of the bundle is not the one that was signed.',
  body: 'A body in the bundle is not the one that was seen.',
  subject: 'The statement is about another host than the bundle.',
  bytes: 'The report is not the one that the statement names.',
  keys: 'The keys are no document of keys.',
};

// Several times what a bundle may have.
const MAX_BYTES = 32 * 1024 * 1024;

const form = /** @type {HTMLFormElement} */ (document.getElementById('check'));
const outcome = /** @type {HTMLElement} */ (document.getElementById('outcome'));

/** @param {string} name */
const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/** @param {string} name */
async function bytesOf(name) {
  const file = field(name).files?.[0];
  if (!file) return undefined;
  if (file.size > MAX_BYTES) throw new Error('longer than any file of a report');
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
  // A browser that cannot verify must not say that a signature is wrong.
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
 * @param {import('../../../packages/guard/src/verify-statement').StatementClaims} claims
 * @param {boolean} isAlone without a bundle
 */
function show({ iss, sub, observed, exp, outcome: found, cells = {}, evidence, report }, isAlone) {
  showFault('ok', isAlone ? 'The signature holds.' : 'The signature holds, and the bundle is the one that was signed.');
  const list = document.createElement('dl');
  const ends = new Date(exp * 1000);
  const rows = {
    Host: sub,
    Seen: observed,
    'Good until': ends.toISOString() + (ends.getTime() < Date.now() ? ', which is over' : ''),
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
