import { oneLine, paintFor } from './paint';

describe('paint', () => {
  it('colours a terminal only, and no reader who asked for none', () => {
    expect(paintFor({ isTTY: true }, undefined)('good', 'present')).toBe('\u001B[32mpresent\u001B[39m');
    expect(paintFor({ isTTY: true }, '1')('good', 'present')).toBe('present');
    expect(paintFor({}, undefined)('good', 'present')).toBe('present');
  });
});

describe('a quoted line', () => {
  it.each([
    ['\u001B[31mred\u001B[0m', 'red'],
    ['[2J[1;1Hcleared', 'cleared'],
    ['- [API](/a) and [mcp](/b)', '- [API](/a) and [mcp](/b)'],
    ['title\u0007bell', 'titlebell'],
    ['two\nlines\tand   tabs', 'two lines and tabs'],
    ['a list [1, 2] stays', 'a list [1, 2] stays'],
    ['\u009B31mC1', '31mC1'],
  ])('of %j is %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });
});
