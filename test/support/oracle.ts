import { readFileSync } from 'node:fs';
import { askedChallenges, type Challenge } from '../../compat/asked.mjs';

/** A challenge with the recorded result of each released client: `signs` or `refuses: …`. */
export interface Judged {
  readonly challenge: Challenge;
  /** By client, `name version`. */
  readonly answers: Readonly<Record<string, string>>;
}

export interface Judgements {
  readonly whole: Judged;
  /** The same challenge with each payment option alone, if there are several. */
  readonly alone: readonly Judged[];
}

interface Table {
  readonly seed: number;
  readonly count: number;
  readonly answers: Readonly<Record<string, string>>;
  readonly clients: readonly { readonly name: string; readonly version: string; readonly row: readonly string[] }[];
}

const TABLE = JSON.parse(readFileSync('compat/answers.json', 'utf8')) as Table;

export const CLIENTS = TABLE.clients.map(({ name, version }) => ({ name, version, id: `${name} ${version}` }));

/** Recorded by `npm run compat`: every challenge in the order in which it was tested. */
export function recordedJudgements(): readonly Judgements[] {
  const rows = TABLE.clients.map(({ name, version, row }) => [`${name} ${version}`, row.join('')] as const);
  let at = 0;
  const judged = (challenge: Challenge): Judged => {
    const index = at;
    at += 1;
    const answerOf = (row: string): string => TABLE.answers[row[index] ?? ''] ?? 'not recorded';
    return { challenge, answers: Object.fromEntries(rows.map(([client, row]) => [client, answerOf(row)])) };
  };
  const all = askedChallenges(TABLE.seed, TABLE.count).map(({ whole, alone }) => ({
    whole: judged(whole),
    alone: alone.map(judged),
  }));
  if (rows.some(([, row]) => row.length !== at)) throw new Error('answers.json is of other challenges: npm run compat');
  return all;
}
