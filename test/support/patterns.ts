import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A regular expression in the sources, with its location. */
export interface Pattern {
  /** `file:line`. */
  readonly at: string;
  /** Undefined if it is built from values that are only known at run time. */
  readonly source: string | undefined;
  readonly flags: string;
}

/**
 * Most files have no regular expression, and a text search is cheaper than parsing: a literal follows an operator or a
 * bracket.
 */
const MAY_HAVE_A_PATTERN = /RegExp|(?:[(,=:!&|?[{;>]|return)\s*\/(?![/*])/;

/**
 * Every regular expression in apps and libraries, without tests: literals, and those built from constants of their
 * file.
 */
export function programPatterns(): readonly Pattern[] {
  return ['apps', 'libs']
    .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path)))
    .filter((path) => /(?<!spec)\.ts$/.test(path) && !/\/generated\//.test(path))
    .map((path) => [path, readFileSync(path, 'utf8')] as const)
    .filter(([, text]) => MAY_HAVE_A_PATTERN.test(text))
    .flatMap(([path, text]) => patternsOf(path, text));
}

/** The regular expressions of one source. */
export function patternsOf(path: string, text: string): readonly Pattern[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const found: Pattern[] = [];
  const add = (node: ts.Node, source: string | undefined, flags: string): void => {
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ at: `${path}:${line}`, source, flags });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, node.initializer);
    }
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    } else if (builds(node)) {
      const [source, flags] = node.arguments ?? [];
      add(node, source && constantText(source, constants), (flags && constantText(flags, constants)) ?? '');
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function builds(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}

/** The text of a constant expression. */
function constantText(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string | undefined {
  if (ts.isTaggedTemplateExpression(node) && ts.isNoSubstitutionTemplateLiteral(node.template)) {
    return node.tag.getText() === 'String.raw' ? node.template.rawText : undefined;
  }
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const value = constants.get(node.text);
    return value && constantText(value, constants);
  }
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.templateSpans.reduce<string | undefined>((text, { expression, literal }) => {
    const value = constantText(expression, constants);
    return text === undefined || value === undefined ? undefined : text + value + literal.text;
  }, node.head.text);
}
