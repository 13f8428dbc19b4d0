import { parseAuthChallenges } from './auth-challenges';

const schemes = (...lines: string[]) => parseAuthChallenges(lines).map(({ scheme }) => scheme);
const first = (line: string) => parseAuthChallenges([line])[0]!;

describe('parseAuthChallenges', () => {
  it('reads several challenges of one line and of several lines', () => {
    expect(schemes('Bearer realm="a", error="invalid_token", Payment id="1", realm="b"', 'Basic realm="c"')).toEqual([
      'bearer',
      'payment',
      'basic',
    ]);
  });

  it('keeps commas, scheme names and escaped quotes inside quoted strings', () => {
    const challenge = first('Payment id="1", description="say \\"hi\\", Payment id=2, then pay", realm="r"');
    expect(schemes('Payment id="1", description="a, Payment id=2", realm="r"')).toEqual(['payment']);
    expect(challenge.params.get('description')).toBe('say "hi", Payment id=2, then pay');
    expect(challenge.params.get('realm')).toBe('r');
    expect(challenge.malformed).toBe(false);
  });

  it('compares schemes and parameter names case-insensitively, and treats a tab as a space', () => {
    const challenge = first('PAYMENT\tID="1",\tRealm = "r"');
    expect(challenge.scheme).toBe('payment');
    expect([...challenge.params]).toEqual([
      ['id', '1'],
      ['realm', 'r'],
    ]);
  });

  it('distinguishes token68 from a parameter', () => {
    expect(first('Negotiate oYG7MIG4oA==')).toMatchObject({ params: new Map(), malformed: false });
    expect(first('Payment id=abc').params.get('id')).toBe('abc');
    expect(schemes('Basic, Negotiate')).toEqual(['basic', 'negotiate']);
  });

  it.each([
    ['parameters separated by spaces', 'Payment amount=0.008 currency=pathUSD'],
    ['an unclosed quotation', 'Payment id="1'],
    ['a repeated parameter', 'Payment id="1", id="2"'],
    ['text behind a quotation', 'Payment id="1"x'],
    ['padding outside quotes', 'Payment request=eyJ9=='],
  ])('marks %s as malformed', (_, line) => {
    expect(first(line)).toMatchObject({ scheme: 'payment', malformed: true });
  });

  it('reads nothing from an empty line and from parameters without a scheme', () => {
    expect(schemes('', ' , ,', 'realm="x"')).toEqual([]);
  });

  it('stops at 64 challenges', () => {
    expect(schemes(Array.from({ length: 1_000 }, () => 'Basic realm="x"').join(', '))).toHaveLength(64);
  });
});
