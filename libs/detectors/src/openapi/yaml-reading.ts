import { Composer, Lexer, Parser, type CST } from 'yaml';
import type { JsonValue } from '../json';

/**
 * Work allowed for one YAML text. The parser is some fifty times slower than JSON's and its worst cases (explicit keys,
 * deep flow collections) grow faster than their length, so tokens and nesting are counted while it lexes and the rest
 * is left to the outline. Measured on Node 20: no text within these limits costs more than about 40 ms of processor time.
 */
const YAML_LIMITS = { chars: 65_536, tokens: 2_500, flowDepth: 16, depth: 64, aliases: 20 } as const;

/** `resolveKnownTags` would let a text ask for byte buffers, sets and ordered maps; only plain data is wanted. */
const OPTIONS = {
  schema: 'core',
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

export type YamlReading =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly reason: 'not_yaml' | 'too_large' };

/** Parses one YAML 1.2 document of the core schema (no tags that build objects, aliases bounded). Never throws. */
export function readYaml(source: string): YamlReading {
  if (source.length > YAML_LIMITS.chars) return { ok: false, reason: 'too_large' };
  try {
    const tokens = tokensOf(source.replace(/^\uFEFF/, ''));
    if (typeof tokens === 'string') return { ok: false, reason: tokens };
    const composer = new Composer(OPTIONS);
    for (const document of composer.compose(tokens)) {
      if (document.errors.length > 0) break;
      return { ok: true, value: document.toJS({ maxAliasCount: YAML_LIMITS.aliases }) as JsonValue };
    }
  } catch (error) {
    // A text of more aliases than allowed may be a good one, so its outline is to decide; a few malformed texts throw too.
    if (error instanceof Error && error.message.startsWith('Excessive alias count')) {
      return { ok: false, reason: 'too_large' };
    }
  }
  return { ok: false, reason: 'not_yaml' };
}

function tokensOf(source: string): readonly CST.Token[] | 'not_yaml' | 'too_large' {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let [count, flow] = [0, 0];
  for (const lexeme of new Lexer().lex(source)) {
    count += 1;
    if (lexeme === '[' || lexeme === '{') flow += 1;
    else if (lexeme === ']' || lexeme === '}') flow -= 1;
    if (count > YAML_LIMITS.tokens || flow > YAML_LIMITS.flowDepth || lexeme === '?') return 'too_large';
    if (parser.stack.length > YAML_LIMITS.depth) return 'too_large';
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') return 'not_yaml';
      tokens.push(token);
    }
  }
  return [...tokens, ...parser.end()];
}
