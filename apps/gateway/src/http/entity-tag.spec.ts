import { knowsTag } from './entity-tag';

describe('knowsTag', () => {
  it.each(['"3-0"', 'W/"3-0"', '"2-0", "3-0"', '"2-0",W/"3-0"', '*'])('finds the tag in %s', (header) => {
    expect(knowsTag(header, '"3-0"')).toBe(true);
    expect(knowsTag(header, 'W/"3-0"')).toBe(true);
  });

  it.each([undefined, '', '"13-0"', '"3-1"', '3-0', '"2-0", "1-0"'])('does not find it in %s', (header) => {
    expect(knowsTag(header, '"3-0"')).toBe(false);
  });
});
