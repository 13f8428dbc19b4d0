import { ADDRESS_CASES } from './address-cases';
import { DNS_CASES } from './dns-cases';
import { DOMAIN_CASES } from './domain-cases';
import { countOf } from './guard-case';
import { REDIRECT_CASES } from './redirect-cases';
import { RESPONSE_CASES } from './response-cases';
import { URL_CASES } from './url-cases';

describe('the cases of the guard', () => {
  it('are 375 over all layers: 307 to block and 68 to allow', () => {
    const layers = [ADDRESS_CASES, DOMAIN_CASES, URL_CASES, DNS_CASES, REDIRECT_CASES, RESPONSE_CASES];
    expect(layers.map((cases) => cases.length)).toEqual([138, 103, 43, 27, 26, 38]);
    expect(countOf(layers.flat())).toBe('307/68');
  });
});
