// `npm run compat [count]`: tests every client with every challenge. Without a count it writes answers.json. With a count it
// repeats only that many, and fails if a result differs from the recorded one. With COMPAT_FOLDER=… it tests the challenges in the
// files of a folder instead, and writes challenges and results to COMPAT_ANSWERS.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askedChallenges, withEachAlone } from './asked.mjs';
import { CLIENTS } from './clients.mjs';
import { challengesOfFolder } from './folder.mjs';
import { offer } from './replay.mjs';

const RECORD = join(import.meta.dirname, 'answers.json');
const SEED = 20_261_122;
const COUNT = 2_000;
/** Characters for the results in the table. No digits, because JSON.parse puts such keys first, and none that need escaping. */
const SIGNS = [...'.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&()*+,-/:;<=>?@[]^_{|}~'];
const WIDTH = 100;

const idOf = ({ name, version }) => `${name} ${version}`;

const flat = (asked) => asked.flatMap(({ whole, alone }) => [whole, ...alone]);

async function answersTo(challenges) {
  const rows = Object.fromEntries(CLIENTS.map((client) => [idOf(client), []]));
  for (const challenge of challenges) {
    for (const client of CLIENTS) rows[idOf(client)].push(await offer(challenge, client));
  }
  return rows;
}

async function record() {
  const rows = await answersTo(flat(askedChallenges(SEED, COUNT)));
  const answers = [...new Set(['signs', ...Object.values(rows).flat()])];
  if (answers.length > SIGNS.length) throw new Error(`${answers.length} different answers do not fit the table`);
  const signs = new Map(answers.map((answer, i) => [answer, SIGNS[i]]));
  const lines = (row) =>
    row
      .map((a) => signs.get(a))
      .join('')
      .match(new RegExp(`.{1,${WIDTH}}`, 'g'));
  const table = {
    seed: SEED,
    count: COUNT,
    answers: Object.fromEntries(answers.map((answer, i) => [SIGNS[i], answer])),
    clients: CLIENTS.map((client) => ({ name: client.name, version: client.version, row: lines(rows[idOf(client)]) })),
  };
  writeFileSync(RECORD, `${JSON.stringify(table, null, 1)}\n`);
  const asked = Object.values(rows)[0].length;
  console.log(`${CLIENTS.length} clients, ${asked} challenges, ${answers.length} different answers`);
}

async function compare(count) {
  const recorded = JSON.parse(readFileSync(RECORD, 'utf8'));
  const all = flat(askedChallenges(recorded.seed, recorded.count));
  // Takes that many, evenly spread over all.
  const chosen = all.map((_, i) => i).filter((i) => i % Math.ceil(all.length / count) === 0);
  const rows = await answersTo(chosen.map((i) => all[i]));
  const others = recorded.clients.flatMap((client) =>
    rows[idOf(client)].flatMap((answer, i) => {
      const before = recorded.answers[client.row.join('')[chosen[i]]];
      return answer === before ? [] : [`${idOf(client)}, challenge ${chosen[i]}: ${before} → ${answer}`];
    }),
  );
  for (const line of others) console.error(line);
  console.log(`${Object.values(rows).flat().length} answers, ${others.length} other than recorded`);
  process.exitCode = others.length === 0 ? 0 : 1;
}

async function folder(path) {
  const asked = challengesOfFolder(path).map(({ file, challenge }) => ({ file, ...withEachAlone(challenge) }));
  writeFileSync(process.env.COMPAT_ANSWERS, JSON.stringify({ asked, rows: await answersTo(flat(asked)) }));
  console.log(`${asked.length} challenges of ${path}`);
}

const { COMPAT_FOLDER } = process.env;
const count = Number(process.argv[2]);
await (COMPAT_FOLDER ? folder(COMPAT_FOLDER) : count > 0 ? compare(count) : record());
process.exit();
