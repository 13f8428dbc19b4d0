import { evidence, html, json, plain, type Reply } from '../../../../test/support/evidence';
import { aiPlugin } from '../ai-plugin/ai-plugin.detector';
import type { Detector } from '../judgement/detector';
import { mcp } from '../mcp/mcp.detector';
import { openapi } from '../openapi/openapi.detector';
import { runDetector } from '../run-detector';

const KEY = { kty: 'OKP', crv: 'Ed25519', x: 'cHVibGlj', d: 'c2VjcmV0' };
const PEM = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----';

const DOCUMENTS: readonly [Detector, string, string][] = [
  [
    aiPlugin,
    '/.well-known/ai-plugin.json',
    '"schema_version":"v1","name_for_model":"lamps","api":{"url":"/openapi.json"}',
  ],
  [openapi, '/openapi.json', '"openapi":"3.1.0","info":{"title":"Lamps","version":"1"},"paths":{}'],
  [mcp, '/.well-known/mcp.json', '"name":"lamps","endpoint":"/mcp"'],
];

const probe = (detector: Detector, path: string, reply: Reply) => runDetector(detector, evidence({ [path]: reply }));
const findings = ({ cell }: ReturnType<typeof probe>) =>
  ((cell.details['findings'] ?? []) as { id: string; at: string }[]).map(({ id, at }) => `${id} ${at}`);

describe.each(DOCUMENTS.map((row) => [row[0].id, ...row] as const))(
  'documents of %s',
  (_id, detector, path, members) => {
    it('keep their status and lose their excerpt if they contain a private key, with a fix for the owner', () => {
      const result = probe(detector, path, json(`{${members},"owner":${JSON.stringify(KEY)}}`));
      expect(result.cell.status).toBe('present');
      expect(findings(result)).toContain('private_key_leaked owner.d');
      expect(result.fixes.map(({ id }) => id)).toEqual([`${detector.id}.private_key`]);
      expect(result.cell.details['evidence']).toMatchObject([
        { excerpt: null, sha256: expect.stringMatching(/^\w{64}$/) },
      ]);
      expect(JSON.stringify(result)).not.toContain(KEY.d);
    });

    it.each([
      ['text', plain(PEM)],
      ['broken JSON', json(`{${members},"pem":"${PEM.replaceAll('\n', '\\n')}",,}`)],
    ])('keep the excerpt of %s with a private key out of the report', (_, reply) => {
      const result = probe(detector, path, reply);
      expect(result.cell.status).toBe('partial');
      expect(findings(result)).toContain(`private_key_leaked ${path}`);
      expect(result.fixes.map(({ id }) => id)).toEqual([`${detector.id}.private_key`, `${detector.id}.partial`]);
      expect(JSON.stringify(result)).not.toContain('c2VjcmV0');
    });

    it('use the last of two fields with one name, with a finding', () => {
      const result = probe(detector, path, json(`{"name":"first","name_for_model":"first",${members},"x":1,"x":2}`));
      expect(result.cell.status).toBe('present');
      expect(findings(result)).toContain('duplicate_keys x');
    });

    it('are read after a byte order mark and under any content type, with a finding for each', () => {
      const result = probe(detector, path, plain(`\uFEFF{${members}}`));
      expect(result.cell.status).toBe('present');
      expect(findings(result)).toEqual(
        expect.arrayContaining(['content_type_not_json content-type', `byte_order_mark ${path}`]),
      );
    });

    it('have no such faults if they are pages', () => {
      expect(findings(probe(detector, path, html(`<!doctype html><pre>${PEM}</pre>`)))).toEqual([]);
    });
  },
);
