import { progressOn } from './progress';

describe('progress', () => {
  it('rewrites one line of a terminal and clears it at the end', () => {
    const written: string[] = [];
    const progress = progressOn({ isTTY: true, write: (text) => written.push(text) });
    progress.step('asking');
    progress.step('paying');
    progress.done();
    progress.done();
    expect(written).toEqual(['\r\u001B[Kasking ... 0 s', '\r\u001B[K', '\r\u001B[Kpaying ... 0 s', '\r\u001B[K']);
  });

  it('says nothing in a pipe', () => {
    const written: string[] = [];
    const progress = progressOn({ write: (text) => written.push(text) });
    progress.step('asking');
    progress.done();
    expect(written).toEqual([]);
  });
});
