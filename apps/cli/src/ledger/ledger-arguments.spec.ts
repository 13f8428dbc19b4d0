import { readLedgerArguments } from './ledger-arguments';

describe('the arguments of the ledger command', () => {
  it('looks at everything unless told otherwise', () => {
    expect(readLedgerArguments(['check'])).toEqual({ fromBlock: undefined, toBlock: undefined });
    expect(readLedgerArguments(['check', '--from-block', '5', '--to-block=9'])).toEqual({ fromBlock: 5n, toBlock: 9n });
  });

  it.each([
    [[], 'usage:'],
    [['repair'], 'usage:'],
    [['check', 'twice'], 'usage:'],
    [['check', '--from-block', 'latest'], '--from-block must be a block number'],
    [['check', '--to-block', '-1'], '--to-block'],
    [['check', '--since', '5'], '--since'],
    [['check', '--from-block', '9', '--to-block', '5'], '--from-block is after --to-block'],
  ])('refuses %j with a sentence and the usage', (args, sentence) => {
    expect(() => readLedgerArguments(args)).toThrow(sentence);
    expect(() => readLedgerArguments(args)).toThrow('npm run ledger -- check');
  });
});
