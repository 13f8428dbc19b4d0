import { base64, base64url } from '../../../../test/support/challenges';
import { readEncodedJson } from './encoded-json';

const document = { name: 'USD₮0 ÿþ', n: 1 };

describe('readEncodedJson', () => {
  it.each([
    ['standard base64', base64('{"a":123}'), { a: 123 }, []],
    ['padded base64', base64('{"a":12}'), { a: 12 }, ['padded']],
    ['unpadded base64', base64('{"a":12}').replace(/=/g, ''), { a: 12 }, ['unpadded']],
    ['base64url', base64url(document), document, expect.arrayContaining(['base64url'])],
    [
      'base64 folded over lines',
      base64('{"a":1,"b":[2]}').replace(/(.{4})/, '$1\n  '),
      { a: 1, b: [2] },
      ['whitespace'],
    ],
    ['the JSON itself', ' {"a":1}', { a: 1 }, ['raw_json']],
    ['base64 of base64', base64(base64('{"a":12345}')), { a: 12345 }, expect.arrayContaining(['double_base64'])],
  ])('reads %s and reports its flaws', (_, value, expected, flaws) => {
    expect(readEncodedJson(value)).toEqual({ ok: true, value: expected, flaws });
  });

  it.each([
    ['text', 'pay me!', 'not_base64'],
    ['an impossible length', 'eyJhI', 'not_base64'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString('base64'), 'not_utf8'],
    ['base64 of broken JSON', base64('{"accepts":[...]}'), 'not_json'],
    ['nothing', '', 'not_base64'],
  ])('refuses %s', (_, value, fault) => {
    expect(readEncodedJson(value)).toEqual({ ok: false, fault });
  });
});
