import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A name of one token split into its words, or a text or comment as it stands in the file. */
export interface Piece {
  readonly kind: 'name' | 'text' | 'comment';
  /** Counted from one; of a text or comment of several lines, each line is a piece. */
  readonly line: number;
  readonly text: string;
}

const ROOTS = ['apps', 'libs', 'packages', 'test', 'bench', 'scripts', 'bin'] as const;
const CONFIGURATIONS = ['.dependency-cruiser.cjs', 'eslint.config.mjs', 'jest.config.cjs', 'prisma.config.ts'] as const;
const CODE = /\.(?:ts|mjs|cjs)$/;
const SKIPPED = /(?:^|\/)(?:generated|node_modules|dist)\//;

/** Every file of code that is written by hand, as paths of the repository. */
export function codeFiles(): readonly string[] {
  const found = ROOTS.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path)),
  );
  const written = found.filter((path) => CODE.test(path) && !SKIPPED.test(path) && statSync(path).isFile());
  return [...written, ...CONFIGURATIONS].toSorted();
}

/** `SettlementDesk`, `settlementDesk` and `settlement-desk` are `settlement desk`. */
export function wordsOfName(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/[-_./#$]+/g, ' ')
    .trim()
    .toLowerCase();
}

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  node.kind === ts.SyntaxKind.TemplateHead ||
  node.kind === ts.SyntaxKind.TemplateMiddle ||
  node.kind === ts.SyntaxKind.TemplateTail;

/** The names, texts and comments of a source. Regular expressions are none of them: they match what others wrote. */
export function piecesOf(path: string, source: string): readonly Piece[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, false);
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], start: number, text: string): void => {
    const first = file.getLineAndCharacterOfPosition(start).line + 1;
    text.split('\n').forEach((line, index) => pieces.push({ kind, line: first + index, text: line.trim() }));
  };
  const visit = (node: ts.Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    const children = node.getChildren(file);
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const start = node.getStart(file);
    if (node.pos < start) add('comment', node.pos, source.slice(node.pos, start));
    const text = source.slice(start, node.end);
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) add('name', start, wordsOfName(text));
    else if (isText(node)) add('text', start, text);
  };
  visit(file);
  return pieces.filter(({ text }) => text !== '');
}
