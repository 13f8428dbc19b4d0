import { evidence, html, json, status, type Reply } from '../../../../test/support/evidence';
import { runDetector } from '../run-detector';
import { tap } from './tap.detector';

const PATH = '/.well-known/http-message-signatures-directory';
const KEY = { kty: 'OKP', crv: 'Ed25519', x: 'wxQmWdK7PN9YuRd0x9neqdyU8Ci8id-P0wILkQNYN3o' };
const SECRET = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
const typed = { headers: { 'content-type': 'application/http-message-signatures-directory+json' } };

const at = (reply: Reply, rest?: Reply) => runDetector(tap, evidence({ [PATH]: reply }, rest));
const findingsOf = (result: ReturnType<typeof at>) =>
  ((result.cell.details['findings'] ?? []) as { id: string }[]).map(({ id }) => id);

describe('tap', () => {
  it('finds a directory with an active key, with a note about its meaning', () => {
    const { cell, fixes } = at(json({ keys: [KEY], purpose: 'shopping' }, typed));
    expect(cell).toMatchObject({
      status: 'present',
      version: null,
      details: {
        meaning: 'agent_key_directory',
        description: expect.stringContaining('Merchants register with the payment network'),
        keys: ['keys', 'purpose'],
        keyCount: 1,
        activeKeyCount: 1,
        algs: ['ed25519'],
        mediaTypeOk: true,
        responseSigned: 'absent',
      },
    });
    expect(fixes).toEqual([]);
  });

  it('only reports another media type as a finding', () => {
    const result = at(json({ keys: [KEY] }));
    expect(result.cell).toMatchObject({ status: 'present', details: { mediaTypeOk: false } });
    expect(findingsOf(result)).toEqual(['media_type_unexpected']);
  });

  it('reports expired keys and an empty list', () => {
    expect(findingsOf(at(json({ keys: [{ ...KEY, exp: 1 }] }, typed)))).toEqual(['keys_expired', 'key_expired']);
    expect(findingsOf(at(json({ jwks: { keys: [KEY] } }, typed)))).toEqual(['keys_missing']);
  });

  it.each([
    ['no_keys', json({ keys: [] })],
    ['no_keys_member', json({ jwks_uri: 'https://shop.example.com/jwks' })],
    ['no_usable_key', json({ keys: [{ ...KEY, x: 'YOUR_PUBLIC_KEY' }] })],
    ['no_active_key', json({ keys: [{ ...KEY, exp: 1_715_385_600 }] })],
  ])('reports a directory with %s as partial', (note, reply) => {
    const { cell, fixes } = at(reply);
    expect(cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixes.map(({ id }) => id)).toEqual(['tap.partial']);
  });

  it('is present if one of several keys is active', () => {
    const result = at(json({ keys: [{ ...KEY, exp: 1 }, KEY, 'x'] }, typed));
    expect(result.cell).toMatchObject({ status: 'present', details: { keyCount: 3, activeKeyCount: 1 } });
    expect(findingsOf(result)).toEqual(['key_expired', 'key_not_an_object']);
  });

  it.each([
    ['a key', json({ keys: [{ ...KEY, d: SECRET }] })],
    ['a key next to a valid one', json({ keys: [KEY, { ...KEY, d: SECRET }] })],
    ['a document without keys', json({ ...KEY, d: SECRET })],
    ['a broken document', json(`{"keys":[{"kty":"OKP","d":"${SECRET}"`)],
  ])('never quotes the private part of %s', (_, reply) => {
    const result = at(reply);
    expect(findingsOf(result)).toContain('private_key_exposed');
    expect(result.fixes.map(({ id }) => id)).toEqual(['tap.private_key']);
    expect(result.cell.details['evidence']).toMatchObject([{ excerpt: null }]);
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });

  it('reads the directory behind a redirect, but reports it as partial, because verifiers must not follow', () => {
    const moved: Reply = { status: 301, headers: { location: `https://www.example.com${PATH}` } };
    const target = `https://www.example.com${PATH}`;
    expect(tap.followUps?.(evidence({ [PATH]: moved }))).toMatchObject([{ url: target, redirects: 'manual' }]);
    const { cell, fixes } = runDetector(tap, evidence({ [PATH]: moved, [target]: json({ keys: [KEY] }, typed) }));
    expect(cell).toMatchObject({ status: 'partial', details: { note: 'directory_redirected', redirected: true } });
    expect(fixes.map(({ id }) => id)).toEqual(['tap.redirect']);
    const gone = runDetector(tap, evidence({ [PATH]: moved, [target]: status(404) }));
    expect(gone.cell).toMatchObject({ status: 'absent', details: { evidence: [{ status: 301 }, { status: 404 }] } });
  });

  it.each([
    ['another site', 'https://keys.example.org/keys', 'redirected_elsewhere', 'keys.example.org'],
    ['a login', 'https://shop.example.com/login', 'redirected_to_login', 'shop.example.com'],
  ])('does not follow a redirect to %s, but reports it', (_, location, reason, redirectedTo) => {
    const seen = evidence({ [PATH]: { status: 302, headers: { location } } });
    expect(tap.followUps?.(seen)).toEqual([]);
    expect(runDetector(tap, seen).cell).toMatchObject({ status: 'error', details: { reason, redirectedTo } });
  });

  it.each([
    `http://shop.example.com${PATH}`,
    `http://www.example.com${PATH}`,
    `https://shop.example.com:8443${PATH}`,
    `https://me:pw@shop.example.com${PATH}`,
  ])('is an error behind a redirect to %s, which is never followed', (location) => {
    const seen = evidence({ [PATH]: { status: 301, headers: { location } } });
    expect(tap.followUps?.(seen)).toEqual([]);
    const { cell, fixes } = runDetector(tap, seen);
    expect(cell).toMatchObject({
      status: 'error',
      details: { reason: 'redirect_refused', evidence: [{ status: 301 }] },
    });
    expect(fixes).toEqual([]);
  });

  it('is absent behind a redirect that nonexistent paths also get', () => {
    const location = 'https://shop.example.com/start';
    const rest = html('', { redirects: [{ status: 302, location }] });
    const seen = evidence({ [PATH]: { status: 302, headers: { location } } }, rest);
    expect(tap.followUps?.(seen)).toEqual([]);
    expect(runDetector(tap, seen).cell).toMatchObject({ status: 'absent', details: { note: 'redirects_all' } });
  });

  it('is absent if there is nothing', () => {
    const { cell, fixes } = at(status(404));
    expect(cell.status).toBe('absent');
    expect(fixes.map(({ id }) => id)).toEqual(['tap.missing']);
    expect(fixes[0]?.fix).toContain('"crv":"Ed25519"');
  });
});
