import { readCommand, type Command } from './command-line';
import { EXIT } from './exit-codes';

function commandOf(...args: string[]): Command {
  const reading = readCommand(args);
  if (!reading.ok) throw new Error(reading.sentence);
  return reading.command;
}

describe('the command line', () => {
  it('takes one domain, in any notation a person may paste', () => {
    const command = commandOf('probe', 'https://www.Bücher.example.com/shop?x=1', '--json');
    expect(command).toMatchObject({ kind: 'probe', output: 'json', gate: [] });
    expect(command.kind === 'probe' && command.host.ascii).toBe('xn--bcher-kva.example.com');
  });

  it('takes a gate, a service and a spend limit', () => {
    const args = ['--gate', 'UCP, x402,ucp', '--url', 'https://probe.example.com', '--max-usd', '0.05'];
    expect(commandOf('refresh', 'shop.example.com', ...args)).toMatchObject({
      kind: 'refresh',
      output: 'page',
      gate: ['ucp', 'x402'],
      url: 'https://probe.example.com',
      maxUsd: '0.05',
    });
    expect(commandOf('batch', 'a.example.com', 'b.example.com')).toMatchObject({
      kind: 'batch',
      maxUsd: null,
      url: null,
    });
  });

  it('takes rejudge without a domain', () => {
    expect(commandOf('rejudge')).toEqual({ kind: 'rejudge', json: false });
  });

  it.each([[['-h']], [['probe', 'shop.example.com', '--help']]])('shows its usage for %j', (args) => {
    expect(commandOf(...args)).toEqual({ kind: 'help' });
  });

  it.each<readonly [readonly string[], RegExp]>([
    [[], /no command given/],
    [['porbe', 'shop.example.com'], /no such command/],
    [['toString', 'shop.example.com'], /no such command/],
    [['probe'], /exactly one domain/],
    [['probe', 'a.example.com', 'b.example.com'], /exactly one domain/],
    [['batch'], /1 to 10 domains/],
    [['batch', ...Array.from({ length: 11 }, (_, at) => `h${at}.example.com`)], /1 to 10 domains/],
    [['probe', 'shop.example.com', '--colour'], /--colour/],
    [['probe', 'shop.example.com', '--max-usd', '1'], /probe takes no --max-usd/],
    [['batch', 'shop.example.com', '--sarif'], /batch takes no --sarif/],
    [['report', 'shop.example.com', '--json', '--sarif'], /exclude each other/],
    [['probe', 'shop.example.com', '--gate', 'ucp,gopher'], /--gate takes protocols of ucp/],
    [['probe', 'shop.example.com', '--gate', 'acp'], /never discoverable/],
    [['refresh', 'shop.example.com', '--max-usd', 'all'], /--max-usd must be an amount/],
    [['refresh', 'shop.example.com', '--max-usd', '-1'], /\S/],
    [['rejudge', 'shop.example.com'], /rejudge takes no domain/],
  ])('answers %j with one sentence', (args, sentence) => {
    const reading = readCommand(args);
    expect(reading).toMatchObject({ ok: false, exit: EXIT.usage });
    if (reading.ok) return;
    expect(reading.sentence).toMatch(sentence);
    expect(reading.sentence).not.toContain('\n');
  });

  it.each([['localhost'], ['127.0.0.1'], ['co.uk']])(
    'tells the wrong domain %s from a wrong command line',
    (domain) => {
      expect(readCommand(['probe', domain])).toMatchObject({ ok: false, exit: EXIT.wrongDomain });
      expect(readCommand(['batch', 'shop.example.com', domain])).toMatchObject({ ok: false, exit: EXIT.wrongDomain });
    },
  );
});
