/**
 * The script of the page on which a report is checked, as it is sent. Everything is done in the browser with files that
 * were saved before: the policy of the page lets it connect to no address.
 * @param verifier path of docs/verify/verify.mjs
 */
export const checkScript = (verifier: string): string => `import { claims, report } from '${verifier}';

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
const MAX_BYTES = 33554432;

const form = document.getElementById('check');
const outcome = document.getElementById('outcome');

const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });

async function textOf(name) {
  const [file] = form.elements[name].files;
  if (!file) return undefined;
  if (file.size > MAX_BYTES) throw new Error('longer than any file of a report');
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
}

function keysIn(text) {
  try {
    const set = JSON.parse(text);
    return Array.isArray(set.keys) && set.keys.every((key) => typeof key === 'object' && key !== null) ? set : undefined;
  } catch {
    return undefined;
  }
}

async function checked() {
  const [token, keys, bundle, text] = await Promise.all(['statement', 'keys', 'bundle', 'report'].map(textOf));
  const set = keysIn(keys);
  if (!set) return { fault: 'keys' };
  const issuer = form.elements.issuer.value.trim();
  if (bundle === undefined) return { ...(await claims(token.trim(), set, issuer)), alone: true };
  return report(bundle, token.trim(), set, issuer, text);
}

function show({ fault = 'ok', claims: said, alone = false }) {
  const good = fault === 'ok';
  const verdict = alone ? 'The signature holds.' : 'The signature holds, and the bundle is the one that was signed.';
  outcome.className = good ? 'present' : 'error';
  outcome.dataset.fault = fault;
  outcome.replaceChildren(element('p', good ? verdict : SENTENCES[fault] ?? 'A file cannot be read, or this browser cannot check Ed25519 signatures.'));
  if (!good) return;
  const list = document.createElement('dl');
  const row = (term, text) => list.append(element('dt', term), element('dd', text));
  row('Host', said.sub);
  row('Seen', said.observed);
  row('Good until', new Date(said.exp * 1000).toISOString() + (said.exp * 1000 < Date.now() ? ', which is over' : ''));
  row('Outcome', said.outcome);
  for (const [id, status] of Object.entries(said.cells ?? {})) row(id, status);
  if (alone && said.evidence) {
    row('Bundle', said.iss + '/api/v1/hosts/' + new URL(said.sub).hostname + '/evidence/' + said.evidence.root);
  }
  if (alone && said.report) row('Report', said.report.uri);
  outcome.append(list);
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  await checked().then(show).catch(() => show({ fault: 'unreadable' }));
  outcome.focus();
});
form.hidden = false;
`;
