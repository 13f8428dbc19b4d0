import { readCommand } from './command-line';

describe('the command line', () => {
  it('takes one domain, in any notation a person may paste', () => {
    const reading = readCommand(['probe', 'https://www.Bücher.example.com/shop?x=1', '--json']);
    expect(reading).toMatchObject({ ok: true, command: { kind: 'probe', json: true } });
    expect(reading.ok && reading.command.kind === 'probe' && reading.command.host.ascii).toBe(
      'xn--bcher-kva.example.com',
    );
  });

  it('takes rejudge without a domain', () => {
    expect(readCommand(['rejudge'])).toEqual({ ok: true, command: { kind: 'rejudge', json: false } });
  });

  it.each([[['-h']], [['probe', 'shop.example.com', '--help']]])('shows its usage for %j', (args) => {
    expect(readCommand(args)).toEqual({ ok: true, command: { kind: 'help' } });
  });

  it.each<readonly [readonly string[], RegExp]>([
    [[], /no command given/],
    [['porbe', 'shop.example.com'], /no such command/],
    [['probe'], /exactly one domain/],
    [['probe', 'a.example.com', 'b.example.com'], /exactly one domain/],
    [['probe', 'localhost'], /\S/],
    [['probe', '127.0.0.1'], /\S/],
    [['probe', 'shop.example.com', '--colour'], /--colour/],
    [['rejudge', 'shop.example.com'], /no such command/],
  ])('answers %j with one sentence', (args, sentence) => {
    const reading = readCommand(args);
    expect(reading.ok).toBe(false);
    if (reading.ok) return;
    expect(reading.sentence).toMatch(sentence);
    expect(reading.sentence).not.toContain('\n');
  });
});
