import fc from 'fast-check';
import type { JsonObject } from '../formats/json';
import { ardFaults } from './ard-faults';

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const part = fc.stringMatching(/^[a-zA-Z0-9._-]{1,12}$/);

/** The name of a publisher and an identifier of its resource. */
const named = fc
  .tuple(fc.array(label, { minLength: 2, maxLength: 3 }), fc.array(part, { minLength: 1, maxLength: 3 }))
  .map(([labels, parts]) => ({
    publisher: labels.join('.'),
    identifier: `urn:air:${labels.join('.')}:${parts.join(':')}`,
  }));

const type = fc.constantFrom(
  'application/mcp-server-card+json',
  'application/a2a-agent-card+json',
  'application/vnd.oai.openapi+json',
  'application/ai-skill+md',
  'application/json; charset=utf-8',
  'text/markdown; profile="urn:air:agent-skills"',
);

/** An entry of ARD 0.91 with every optional member there or not, and members that it does not know. */
const entry = named.chain(({ publisher, identifier }) =>
  fc
    .tuple(
      fc.record(
        {
          identifier: fc.constant(identifier),
          displayName: label,
          type,
          description: fc.string(),
          tags: fc.array(label, { maxLength: 2 }),
          representativeQueries: fc.array(label, { maxLength: 5 }),
          trustManifest: fc.constantFrom(
            { identity: `did:web:${publisher}` },
            { identity: `https://${publisher}/` },
            { identity: publisher, attestations: [] },
            {},
          ),
          metadata: fc.constant({ x402Version: 2 }),
        },
        { requiredKeys: ['identifier', 'displayName', 'type'] },
      ),
      fc.oneof(
        fc.constant({ url: `https://${publisher}/resource` }),
        fc.dictionary(label, fc.integer(), { maxKeys: 2 }).map((data) => ({ data })),
      ),
      fc.dictionary(fc.stringMatching(/^x-[a-z]{1,5}$/), fc.integer(), { maxKeys: 2 }),
    )
    .map(([known, where, unknown]): JsonObject => ({ ...unknown, ...known, ...where })),
);

const without = (one: JsonObject, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(one).filter(([name]) => !names.includes(name)));

describe('an entry of ARD 0.91', () => {
  it('has no fault with what is required of it, whatever else it has', () => {
    fc.assert(
      fc.property(entry, (one) => {
        expect(ardFaults(one, '$')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('is at fault where something required is missing, and nowhere else', () => {
    const gone = fc.subarray(['identifier', 'displayName', 'type'], { minLength: 1 });
    fc.assert(
      fc.property(entry, gone, (one, names) => {
        expect(ardFaults(without(one, ...names), '$')).toEqual(names.map((name) => `$.${name}`));
      }),
    );
    fc.assert(
      fc.property(entry, fc.boolean(), (one, both) => {
        const neither = without(one, 'url', 'data');
        const faulty = both ? { ...neither, url: 'https://shop.example.com/a', data: {} } : neither;
        expect(ardFaults(faulty, '$')).toEqual(['$ url_xor_data']);
      }),
    );
  });

  it('is at fault when its identity is of another publisher', () => {
    fc.assert(
      fc.property(entry, (one) => {
        const trustManifest = { identity: 'did:web:somebody-else.invalid' };
        expect(ardFaults({ ...one, trustManifest }, '$')).toEqual(['$.trustManifest.identity']);
      }),
    );
  });
});
