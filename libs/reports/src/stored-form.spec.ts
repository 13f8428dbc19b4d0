import { hostName } from '../../../test/support/report';
import { readFacts } from './host-report';
import { renderFacts } from './render';
import { neverProbed } from './assemble-report';
import { FORM, upgradeFacts, type Upgrade } from './stored-form';

const second: Upgrade = (facts) => ({ ...facts, steps: ['second'] });
const third: Upgrade = (facts) => ({ ...facts, steps: [...(facts['steps'] as string[]), 'third'] });

/** A report as release 0.2.0 stored it: its fixes have five members and the order of the protocols. */
const FIRST_FORM = {
  ...neverProbed(hostName('shop.example.com')),
  fixes: ['ai-plugin.missing', 'llms.missing', 'x402.unpayable', 'gone.missing'].map((id) => ({
    id,
    protocol: id.split('.')[0],
    problem: 'p',
    fix: 'f',
    spec: 'https://spec.example/',
  })),
};

describe('stored facts', () => {
  it('of the first form get what their fixes change, and its order', () => {
    const facts = readFacts(upgradeFacts(JSON.stringify(FIRST_FORM), 1));
    expect(facts.fixes.map(({ id, priority, effort }) => [id, priority, effort])).toEqual([
      ['x402.unpayable', 1, 'minutes'],
      ['llms.missing', 2, 'minutes'],
      ['gone.missing', 3, 'hours'],
      ['ai-plugin.missing', 3, 'minutes'],
    ]);
    expect(() => readFacts(JSON.stringify(FIRST_FORM))).toThrow('why');
  });

  it('of the form that is written today are read as they are, byte for byte', () => {
    const text = renderFacts(neverProbed(hostName('shop.example.com')));
    expect(upgradeFacts(text, FORM)).toBe(text);
    expect(upgradeFacts('{ "domain" : 1 }', 3, [second, third])).toBe('{ "domain" : 1 }');
  });

  it('of an older form go through every later upgrade, in order', () => {
    const upgraded = (form: number, text: string) => JSON.parse(upgradeFacts(text, form, [second, third])) as unknown;
    expect(upgraded(1, '{"domain":"a"}')).toEqual({ domain: 'a', steps: ['second', 'third'] });
    expect(upgraded(2, '{"domain":"a","steps":[]}')).toEqual({ domain: 'a', steps: ['third'] });
  });

  it('of a release that is newer are left alone: a process of the older one may still run', () => {
    expect(upgradeFacts('{"domain":"a"}', 9, [second])).toBe('{"domain":"a"}');
  });

  it.each(Array.from({ length: FORM }, (_, index) => index + 1))('of form %i can be read', (form) => {
    const text = renderFacts(neverProbed(hostName('shop.example.com')));
    expect(readFacts(upgradeFacts(text, form))).toMatchObject({ domain: 'shop.example.com' });
  });
});
