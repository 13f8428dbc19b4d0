import fc from 'fast-check';
import { sniff } from './sniff';

const space = fc.constantFrom('', ' ', '\n', '\r', '\r\n', '\t', '\uFEFF');
const comment = fc
  .string({ maxLength: 200 })
  .filter((text) => !text.includes('--'))
  .map((text) => `<!--${text}-->`);
/** Text that may precede a document. */
const preamble = fc
  .array(fc.tuple(space, fc.oneof(space, comment)), { maxLength: 4 })
  .map((parts) => parts.flat().join(''));

const ELEMENT_NAMES = [
  'h1',
  'p',
  'style',
  'html',
  'body',
  'div',
  'main',
  'nav',
  'center',
  'link',
  'noscript',
  'my-app',
];
const element = fc
  .tuple(fc.constantFrom(...ELEMENT_NAMES), fc.boolean(), fc.constantFrom('', ' class="a"', '\n  id=b', '/'))
  .map(([name, upper, rest]) => `<${upper ? name.toUpperCase() : name}${rest}>`);
const page = fc.oneof(
  element,
  fc.constantFrom('<!doctype html>', '<!DOCTYPE html PUBLIC "x">', '<?xml version="1.0"?>'),
);

describe('the kind of a body', () => {
  it('is a page if it starts with an element or a doctype, after any comments and spaces', () => {
    fc.assert(
      fc.property(preamble, page, fc.string({ maxLength: 100 }), (before, opening, rest) => {
        expect(sniff(before + opening + rest)).toBe('html');
      }),
      { numRuns: 400 },
    );
  });

  it('depends on the content after comments: Markdown is text, and JSON is JSON', () => {
    fc.assert(
      fc.property(preamble, fc.string({ maxLength: 100 }), (before, rest) => {
        expect(sniff(`${before}# Title\n${rest}`)).toBe('text');
        expect(sniff(`${before}<SYSTEM>Text for models.</SYSTEM>\n${rest}`)).toBe('text');
        expect(sniff(`${before}<https://example.com/> ${rest}`)).toBe('text');
        expect(sniff(`${before}{"a":1}`)).toBe('json');
      }),
      { numRuns: 400 },
    );
  });

  it('is empty for white space only, and a page for comments only', () => {
    expect(sniff('\uFEFF \r\n\t')).toBe('empty');
    expect(sniff(' '.repeat(3_000))).toBe('empty');
    expect(sniff('<!-- nothing -->\n')).toBe('html');
    expect(sniff('<!-- never closed # Title')).toBe('html');
  });
});
