import { VERSION } from '@app/config';
import { array, assert, constantFrom, property } from 'fast-check';
import type { Command } from './command';
import { readCommand } from './command-line';
import { CommandError, EXIT } from './exit-codes';

const commandOf = (...args: string[]): Command => readCommand(args);

/** The error of an invalid command line. */
function errorOf(args: readonly string[]): CommandError {
  try {
    readCommand(args);
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error(`${args.join(' ')} was understood`);
}

describe('the command line', () => {
  it('accepts one domain, in any notation that a user may paste', () => {
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

  it('accepts every root that a statement can contain, even if it begins like an option', () => {
    for (const first of [0x00, 0xf8, 0xfb]) {
      const root = Buffer.alloc(32, first);
      expect(commandOf('verify', 'shop.jsonl', '--root', root.toString('base64url'))).toMatchObject({
        root: root.toString('hex'),
      });
    }
  });

  it('takes rejudge without a domain', () => {
    expect(commandOf('rejudge')).toEqual({ kind: 'rejudge', json: false, apply: false });
    expect(commandOf('rejudge', '--apply')).toEqual({ kind: 'rejudge', json: false, apply: true });
  });

  it('takes a range of blocks for the ledger, and everything without one', () => {
    expect(commandOf('ledger', 'check')).toEqual({ kind: 'ledger', fromBlock: undefined, toBlock: undefined });
    expect(commandOf('ledger', 'check', '--from-block', '5', '--to-block=9')).toEqual({
      kind: 'ledger',
      fromBlock: 5n,
      toBlock: 9n,
    });
  });

  it('takes the three subcommands of subscriptions', () => {
    expect(commandOf('subscription', 'grant', 'https://Shop.Example.com/', '--days', '3')).toMatchObject({
      kind: 'subscription',
      verb: 'grant',
      host: { ascii: 'shop.example.com' },
      days: 3,
    });
    expect(commandOf('subscription', 'grant', 'shop.example.com')).toMatchObject({ days: undefined });
    expect(commandOf('subscription', 'list')).toEqual({ kind: 'subscription', verb: 'list' });
    expect(commandOf('subscription', 'revoke', '7')).toEqual({ kind: 'subscription', verb: 'revoke', id: '7' });
  });

  it.each(['add', 'remove'])('normalizes the host name of an opt-out: %s', (verb) => {
    const host = expect.objectContaining({ ascii: 'example.com' });
    expect(commandOf('opt-out', verb, 'https://www.Example.com/')).toEqual({ kind: 'opt-out', verb, host });
    expect(commandOf('opt-out', 'list')).toEqual({ kind: 'opt-out', verb: 'list' });
  });

  it.each([
    [['-h'], 'Usage: hostprobe'],
    [['--help'], 'For the operator of a service:'],
    [['probe', 'shop.example.com', '--help'], 'Usage: hostprobe probe'],
    [['subscription', 'grant', '-h'], '--days <count>'],
    [['help', 'probe'], 'Usage: hostprobe probe'],
    [['help', 'keys'], 'revoke [options] <kid>'],
    [['--version'], VERSION],
  ])('prints the text for %j', (args, text) => {
    expect(commandOf(...args)).toEqual({ kind: 'text', text: expect.stringContaining(text) as string });
  });

  it.each([
    [['prob', 'shop.example.com'], 'Unknown command "prob". Did you mean "probe"?'],
    [['shop.example.com'], 'Unknown command "shop.example.com". Did you mean "probe shop.example.com"?'],
    [['keys', 'lst'], 'Unknown command "lst". Did you mean "list"?'],
    [['something'], 'Unknown command "something". See "hostprobe --help".'],
    [['probe', 'shop.example.com', '--jsn'], 'Unknown option "--jsn". Did you mean "--json"?'],
    [[], 'No command given. See "hostprobe --help".'],
    [['keys'], 'No command given. See "hostprobe keys --help".'],
    [['probe'], 'Missing required argument "domain". See "hostprobe probe --help".'],
    [['help', 'prob'], 'Unknown command "prob". Did you mean "probe"?'],
  ])('refuses %j in one line', (args, sentence) => {
    expect(errorOf(args)).toMatchObject({ code: EXIT.usage, message: sentence });
  });

  it('takes the name of a key, even if it begins like an option', () => {
    const signs = constantFrom(...'-_aA0'.split(''));
    assert(
      property(array(signs, { minLength: 43, maxLength: 43 }), (name) => {
        const kid = name.join('');
        const expected = { kind: 'keys', verb: 'revoke', kid, reason: 'stolen' };
        expect(commandOf('keys', 'revoke', kid, '--reason', 'stolen')).toMatchObject(expected);
        expect(commandOf('keys', 'revoke', '--reason', 'stolen', kid)).toMatchObject(expected);
      }),
    );
  });

  it.each([['localhost'], ['127.0.0.1'], ['co.uk']])(
    'distinguishes the invalid domain %s from an invalid command line',
    (domain) => {
      for (const words of [['probe'], ['batch', 'shop.example.com'], ['subscription', 'grant'], ['opt-out', 'add']]) {
        expect(errorOf([...words, domain]).code).toBe(EXIT.wrongDomain);
      }
    },
  );
});
