import { readFileSync } from 'node:fs';

/** Words in backticks of the last column of the glossary's table, and those of its last paragraph. */
export function replacedWords(): readonly string[] {
  const [table = '', style = ''] = readFileSync('docs/glossary.md', 'utf8').split('Style words');
  const columns = [...table.matchAll(/^\|.*\|([^|]*)\|$/gm)].map(([, last = '']) => last);
  return [
    ...new Set([...columns, style].flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word))),
  ];
}
