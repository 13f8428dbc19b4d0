/** Statements that break processes of the previous release, because they remove, narrow or rename something. */
const TAKES = /^(?:DROP (?!TRIGGER\b)|TRUNCATE\b|REVOKE\b)/;
const TAKING_ACTION =
  /^(?:DROP\b|RENAME\b|ADD (?:CONSTRAINT|CHECK|UNIQUE|PRIMARY KEY|FOREIGN KEY|EXCLUDE)\b|ALTER (?:COLUMN )?\S+ (?:TYPE|SET DATA TYPE|SET NOT NULL|DROP (?!NOT NULL)))/;
const ADDED_COLUMN = /^ADD (?!CONSTRAINT\b)/;
const FILLED_BY_ITSELF = /\b(?:DEFAULT|GENERATED|SERIAL|BIGSERIAL|SMALLSERIAL)\b/;
const MARK = /^-- contracts (\d+\.\d+\.\d+): .+/m;

/** One statement per line in upper case, without comments and texts; the bodies of blocks are included. */
function statementsOf(sql: string): readonly string[] {
  const bare = sql
    .replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[^]*?\*\//g, (found) => (found.startsWith("'") ? "''" : ' '))
    .replace(/\$\w*\$/g, ' ; ');
  return bare
    .split(';')
    .map((one) => one.replaceAll('"', '').replace(/\s+/g, ' ').trim().toUpperCase())
    .map((one) => one.replace(/^(?:(?:BEGIN|DECLARE|IF .*? THEN|ELSE) )+/, ''))
    .filter((one) => one !== '');
}

/** The items of a comma-separated list, ignoring commas within parentheses. */
function actionsOf(list: string): readonly string[] {
  let depth = 0;
  const parts = [''];
  for (const character of list) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts.map((part) => part.trim());
}

function takes(action: string): boolean {
  if (TAKING_ACTION.test(action)) return true;
  return ADDED_COLUMN.test(action) && /\b(?:NOT NULL|PRIMARY KEY)\b/.test(action) && !FILLED_BY_ITSELF.test(action);
}

const TABLE = '(?:IF (?:NOT )?EXISTS )?(?:ONLY )?([\\w.]+)';
const CREATED = new RegExp(`^CREATE (?:\\w+ )*TABLE ${TABLE}`);
const ALTERED = new RegExp(`^ALTER (?:TABLE|VIEW|TYPE|INDEX|SEQUENCE|DOMAIN|FUNCTION|SCHEMA) ${TABLE}\\S* (.+)$`);
const NARROWED = new RegExp(`^CREATE UNIQUE INDEX .*?\\bON ${TABLE}`);

/**
 * The statements of a migration that may break a process of the previous release: they drop, rename or narrow what it
 * uses, or require what it does not write. Objects created by the migration itself do not count.
 */
export function contractionsOf(sql: string): readonly string[] {
  const statements = statementsOf(sql);
  const own = new Set(statements.map((one) => CREATED.exec(one)?.[1]));
  return statements.filter((one) => {
    const [, altered, actions] = ALTERED.exec(one) ?? [];
    if (altered !== undefined && actions !== undefined) return !own.has(altered) && actionsOf(actions).some(takes);
    const narrowed = NARROWED.exec(one)?.[1];
    return TAKES.test(one) || (narrowed !== undefined && !own.has(narrowed));
  });
}

/** The release since which the removed objects are not needed any more, from a line `-- contracts 0.2.0: why`. */
export const contractedRelease = (sql: string): string | undefined => MARK.exec(sql)?.[1];
