import { HostName, parseProbeUrl } from '@app/reports';
import { DOMAIN_CASES } from './domain-cases';
import { countOf } from './guard-case';
import { URL_CASES } from './url-cases';

describe('what a client writes for a domain', () => {
  it('is tried with 84 texts to refuse and 19 to accept', () => {
    expect(countOf(DOMAIN_CASES)).toBe('84/19');
    expect(new Set(DOMAIN_CASES.map(({ input }) => input)).size).toBe(103);
  });

  it.each(DOMAIN_CASES.filter(({ expected }) => expected === 'block'))('is refused: $input ($why)', ({ input }) => {
    expect(HostName.parse(input)).toMatchObject({ ok: false });
  });

  it.each(DOMAIN_CASES.filter(({ expected }) => expected === 'allow'))('is read: $input as $why', ({ input, why }) => {
    expect(HostName.parse(input)).toMatchObject({ ok: true, host: { ascii: why } });
  });
});

describe('what a client writes for a url', () => {
  it('is tried with 36 texts to refuse and 7 to accept', () => {
    expect(countOf(URL_CASES)).toBe('36/7');
    expect(new Set(URL_CASES.map(({ input }) => input)).size).toBe(43);
  });

  it.each(URL_CASES.filter(({ expected }) => expected === 'block'))('is refused: $input ($why)', ({ input }) => {
    expect(parseProbeUrl(input)).toMatchObject({ ok: false });
  });

  it.each(URL_CASES.filter(({ expected }) => expected === 'allow'))('is read: $input as $why', ({ input, why }) => {
    expect(parseProbeUrl(input)).toMatchObject({ ok: true, url: { href: why } });
  });
});
