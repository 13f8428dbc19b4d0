import { evidence, failure, html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { aiPlugin } from './ai-plugin.detector';
import { runDetector } from '../run-detector';

const PATH = '/.well-known/ai-plugin.json';
const MANIFEST = {
  schema_version: 'v1',
  name_for_human: 'Lamp Shop',
  name_for_model: 'lamp_shop',
  description_for_human: 'Search lamps.',
  description_for_model: 'Use it to search lamps.',
  auth: { type: 'none' },
  api: { type: 'openapi', url: 'https://shop.example.com/openapi.yaml' },
  logo_url: 'https://shop.example.com/logo.png',
  contact_email: 'api@shop.example.com',
  legal_info_url: 'https://shop.example.com/legal',
};
const at = (reply: Reply, rest?: Reply, more: Record<string, Reply> = {}) =>
  runDetector(aiPlugin, evidence({ [PATH]: reply, ...more }, rest));
const findings = (manifest: unknown, more?: Record<string, Reply>) =>
  (at(json(manifest), undefined, more).cell.details['findings'] ?? []) as { id: string; at: string }[];

describe('ai-plugin', () => {
  it('reads a manifest', () => {
    const { cell, fixes } = at(json(MANIFEST));
    expect(cell).toMatchObject({ id: 'ai-plugin', status: 'present', version: 'v1' });
    expect(cell.details).toMatchObject({
      name: 'Lamp Shop',
      keys: Object.keys(MANIFEST),
      endpoint: 'https://shop.example.com/openapi.yaml',
      path: PATH,
      auth: 'none',
    });
    expect(cell.details).not.toHaveProperty('findings');
    expect(fixes).toEqual([]);
  });

  it('uses the name for models if there is none for people', () => {
    const manifest = { ...MANIFEST, name_for_human: undefined };
    expect(at(json(manifest)).cell).toMatchObject({ status: 'present', details: { name: 'lamp_shop' } });
    expect(findings(manifest)).toEqual([{ id: 'member_missing', at: '$.name_for_human' }]);
  });

  it.each([
    ['schema_version', { ...MANIFEST, schema_version: 1 }],
    ['name_for_model', { ...MANIFEST, name_for_human: '', name_for_model: null }],
    ['api.url', { ...MANIFEST, api: { type: 'openapi' } }],
    ['api.url', { ...MANIFEST, api: { type: 'openapi', url: 'http://' } }],
    ['api.url', { ...MANIFEST, api: 'https://shop.example.com/openapi.yaml' }],
  ])('is partial without a usable %s', (missing, manifest) => {
    const { cell, fixes } = at(json(manifest));
    expect(cell).toMatchObject({ status: 'partial', details: { note: 'members_missing', missing: [missing] } });
    expect(fixes).toMatchObject([{ id: 'ai-plugin.partial', problem: `${PATH} lacks ${missing}.` }]);
  });

  it.each([
    ['the file is missing', status(404), undefined, {}],
    ['the host shows its page for everything', html(), html(), { catchAll: true, note: 'html_not_machine_document' }],
    ['the host answers everything with the same JSON', json({ ok: true }), json({ ok: true }), { catchAll: true }],
  ])('is absent if %s, with a fix for something newer', (_, reply, rest, details) => {
    const { cell, fixes } = at(reply, rest);
    expect(cell).toMatchObject({ status: 'absent', details });
    expect(fixes.map((fix) => fix.id)).toEqual(['ai-plugin.missing']);
    expect(fixes[0]?.fix).toMatch(/^No action needed\. Publish an OpenAPI description/);
  });

  it('reports faults that OpenAI would have rejected', () => {
    const manifest = {
      ...MANIFEST,
      schema_version: 'v2',
      name_for_model: 'lamp shop',
      description_for_model: 'x'.repeat(8_001),
      auth: { type: 'magic' },
      api: { type: 'graphql', url: 'http://7e7e.eu.ngrok.io/openapi.yaml' },
    };
    expect(findings(manifest)).toEqual([
      { id: 'unknown_schema_version', at: '$.schema_version' },
      { id: 'unknown_auth_type', at: '$.auth.type' },
      { id: 'api_type_not_openapi', at: '$.api.type' },
      { id: 'name_for_model_not_an_identifier', at: '$.name_for_model' },
      { id: 'text_too_long', at: '$.description_for_model' },
      { id: 'endpoint_not_https', at: '$.api.url' },
      { id: 'tunnel_url', at: '$.api.url' },
    ]);
  });

  it('notes an api.url that is relative, left over from a template, local, or known to be dead', () => {
    const ids = (url: string, more?: Record<string, Reply>) =>
      findings({ ...MANIFEST, api: { type: 'openapi', url } }, more).map((finding) => finding.id);
    expect(ids('/openapi.yaml')).toEqual(['api_url_not_absolute']);
    expect(ids('https://your-app-url.com/openapi.yaml')).toEqual(['placeholder_url']);
    expect(ids('http://localhost:8081/openapi.yaml')).toEqual(['local_url']);
    expect(ids(MANIFEST.api.url, { '/openapi.yaml': status(404) })).toEqual(['api_unreachable']);
    expect(ids(MANIFEST.api.url, { '/openapi.yaml': failure('timeout') })).toEqual(['api_unreachable']);
    expect(ids(MANIFEST.api.url, { '/openapi.yaml': plain('openapi: 3.1.0') })).toEqual([]);
  });
});
