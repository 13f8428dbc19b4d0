import * as fc from 'fast-check';
import { notesIn } from './owner-notes';

const read = (body: unknown): unknown => {
  try {
    return notesIn(body);
  } catch (error) {
    return (error as { readonly code: unknown }).code;
  }
};
const INVISIBLE = ['\u202e', '\u200b', '\u2066', '\u00ad', '\u{e0041}', '\u0007', '\r'];

describe('what an owner keeps with a claim', () => {
  it.each([
    ['owner+agents@Shop.Example.com', 'owner+agents@shop.example.com'],
    ['a.b@example.com', 'a.b@example.com'],
    ['https://example.com/contact?to=us#top', 'https://example.com/contact?to=us'],
    ['  https://example.com/a  ', 'https://example.com/a'],
  ])('has the contact %s', (contact, kept) => {
    expect(read({ contact })).toEqual({ note: null, contact: kept });
  });

  it.each([
    ...['http://example.com/', 'https://user@example.com/', 'https://example.com:8443/', 'https://192.0.2.1/'],
    ...['https://localhost/', 'javascript:alert(1)', 'data:text/html,a', 'example.com', 'mailto:a@example.com'],
    ...['a@localhost', 'a@192.0.2.1', 'a@example.com, b@example.com', 'a?bcc=b@example.com', 'a%0Ab@example.com'],
    ...['.a@example.com', 'a..b@example.com', 'a@b@example.com', '"a b"@example.com', '<a@example.com>', 'a@'],
    ...[
      `${'a'.repeat(65)}@example.com`,
      `https://example.com/${'a'.repeat(200)}`,
      `https://example.com/${'ä'.repeat(60)}`,
    ],
  ])('has no contact such as %s', (contact) => {
    expect(read({ contact })).toBe('bad_request');
  });

  it('has no contact but a mail address or an https URL, whatever is sent', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.emailAddress(), fc.webUrl({ withFragments: true })), (typed) => {
        const kept = read({ contact: typed });
        if (kept === 'bad_request') return;
        expect(kept).toEqual({
          note: null,
          contact: typed.trim() === '' ? null : expect.stringMatching(/^(?:https:\/\/[!-~]+|[\w.+-]+@[a-z\d.-]+)$/),
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it('has no invisible text, and what is left out is not kept', () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom(...INVISIBLE), fc.constantFrom('a', 'ä', '\n', ' ')))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, (note) => {
        const seen = INVISIBLE.reduce((left, one) => left.replaceAll(one, ''), note).trim();
        expect(read({ note })).toEqual({ note: seen === '' ? null : seen, contact: null });
      }),
    );
    expect(read({})).toEqual({ note: null, contact: null });
  });

  it.each([
    [{ note: 'a'.repeat(2_001) }],
    [{ contact: 'a'.repeat(201) }],
    [{ note: 1 }],
    [{ note: 'a', verdict: 'present' }],
    [[]],
    ['a'],
    [undefined],
    [null],
  ])('is nothing else: %j', (body) => {
    expect(read(body)).toBe('bad_request');
  });
});
