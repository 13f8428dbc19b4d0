import { caip2OfV1Name, tokenAt } from '@app/networks';
import { TOKENS } from './faremeter';
import { USDC } from './first-version';

const ofFaremeter = Object.entries(TOKENS).flatMap(([id, tokens]) => tokens.map((token) => [id, token] as const));

/** If clients can pay a token that we do not know, we would wrongly report `asset_unknown`. */
describe('the tokens in the tables of released clients', () => {
  it.each(ofFaremeter)('are known to this service: %s %s', (id, token) => {
    expect(tokenAt(id, token)).toMatchObject({ decimals: 6 });
  });

  it.each(Object.entries(USDC))('are known to this service under the names of version 1: %s', (name, token) => {
    expect(tokenAt(caip2OfV1Name(name) ?? name, token)).toMatchObject({ decimals: 6, dollar: true });
  });
});
