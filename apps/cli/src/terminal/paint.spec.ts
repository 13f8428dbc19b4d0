import { jsonText, oneLine, paintFor } from './paint';

describe('paint', () => {
  it('colors only a terminal, and not when NO_COLOR is set', () => {
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
    ['pay\u202Eyap\u2066 \u200Bnow', 'payyap now'],
  ])('of %j is %j', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });
});

describe('JSON for a terminal and a parser', () => {
  it('escapes control characters and keeps every value', () => {
    const value = { name: '\u009B2J\u202Eevil \u{E0041}\u001B[31m', list: [1, 'ü'] };
    const text = jsonText(value);
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]|\u{E0041}/u);
    expect(JSON.parse(text)).toEqual(value);
  });
});
