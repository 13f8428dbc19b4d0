import type { CensusDay } from '@app/persistence';
import { about, count, list, object, text, time } from '../api-description/json-schema';
import { json, validatedAnswer } from '../api-description/responses';
import { html, quoted, type Html } from '../html/html';
import type { PageContent } from '../html/page';
import { keepable } from '../html/page-response';
import { isDay } from '../http/arguments';
import { publishedJson } from '../http/published';
import { RequestError } from '../http/request-error';
import { moment } from '../reports/words/marks';
import { adoptionChart, barChart } from './census-charts';
import { figuresOf, percent, type CountedFigure } from './census-days';
import { PAGE_ANSWERS, type PageDefinition } from './page-definition';

const KEPT_SEC = 300;
const PATH = '/census';
const API_PATH = '/api/v1/census/:day';
/** Whose definition is chosen. */
const SWITCHED = 'dead';

const ROW = object(
  {
    name: text,
    hosts: count,
    total: about('What `hosts` are a part of.', count),
    percent: about('Null of nothing.', { type: ['number', 'null'] }),
  },
  { means: text },
);
const FIGURE = object({
  id: text,
  title: text,
  definition: about('What is counted.', text),
  denominator: about('Over what.', text),
  query: about('SQL over the tables of a release.', text),
  rows: list(ROW),
});
const DAY = object({
  day: text,
  before: about('The day that changes are counted from, or null.', { type: ['string', 'null'] }),
  madeAt: time,
  figures: list(FIGURE),
});

/** The figures of a day, for programs (behaviour 18.7). */
export const censusDay: PageDefinition = {
  path: API_PATH,
  params: { day: { type: 'string', format: 'date', description: 'A day of which a census was counted, UTC.' } },
  operationId: 'census_day',
  summary: 'The figures of a census, each with its denominator, definition and query',
  tag: 'service',
  call: '/api/v1/census/2026-11-23',
  answers: validatedAnswer('The figures.', json(DAY)),
  refused: [404],
  render: async ({ census }, { params: { day = '' } }) => {
    const [counted] = isDay(day) ? await census.until(day) : [];
    if (counted?.day !== day) throw new RequestError('census_unknown');
    return publishedJson(documentOf(counted));
  },
};

/** The same for people, of the newest day. */
export const censusPage: PageDefinition = {
  path: PATH,
  query: {
    properties: { [SWITCHED]: { type: 'string', description: 'The definition of dead that is shown.' } },
  },
  operationId: 'census',
  summary: 'Census',
  answers: PAGE_ANSWERS,
  render: async ({ layout, census, site: { baseUrl } }, { query }) =>
    keepable(layout(pageOf(await census.until(null), query[SWITCHED], baseUrl)), KEPT_SEC),
};

function documentOf(counted: CensusDay) {
  const { day, before, madeAt } = counted;
  const figures = figuresOf(counted).map(({ id, title, definition, denominator, sql, means = {}, rows }) => ({
    id,
    title,
    definition,
    denominator,
    query: sql,
    rows: rows.map((row) => ({ ...row, percent: percent(row), ...(means[row.name] && { means: means[row.name] }) })),
  }));
  return { day, before, madeAt: madeAt.toISOString(), figures };
}

function pageOf(days: readonly CensusDay[], chosen: unknown, baseUrl: string): PageContent {
  const [newest] = days;
  return {
    title: 'Census',
    description:
      'What hosts publish for agents, how many can be paid, and why probes fail: figures with their denominators.',
    canonical: `${baseUrl}${PATH}`,
    body: html`<header class="plain-head">
        <h1>Census</h1>
        ${
          newest === undefined
            ? html`<p>No census was counted here yet.</p>`
            : html`<p>
                Of ${newest.day}, counted
                ${moment(newest.madeAt.toISOString())}${newest.before !== null && html`, changes since ${newest.before}`}.
                Every figure says what it counts, over what, and by which query.
                <a href="/api/v1/census/${newest.day}">As JSON</a>.
              </p>`
        }
      </header>
      ${newest !== undefined && figuresOf(newest).map((figure) => section(figure, days, chosen))}`,
  };
}

function section(figure: CountedFigure, days: readonly CensusDay[], chosen: unknown): Html {
  const { id, title, definition, denominator, sql, rows } = figure;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <p class="soft">${definition} Over: ${denominator}</p>
    ${id === SWITCHED && definitionSwitch(figure, chosen)}
    ${id === 'adoption' && days.length > 1 && adoptionChart(days)}
    ${rows.length === 0 ? html`<p>No host.</p>` : html`${barChart(figure)}${table(figure)}`}
    <details>
      <summary class="soft">The query</summary>
      <pre>${sql}</pre>
    </details>
  </section>`;
}

/** One share at a time in large, by the definition that the reader chose; works without a script. */
function definitionSwitch({ id, rows, means = {} }: CountedFigure, chosen: unknown): Html {
  const shown = rows.find(({ name }) => name === chosen) ?? rows[0];
  return html`<nav aria-label="Definition of dead">
      ${rows.map(({ name }) =>
        name === shown?.name
          ? html`<a href="${PATH}?${id}=${name}#${id}" aria-current="true"><b>${name}</b></a> `
          : html`<a href="${PATH}?${id}=${name}#${id}">${name}</a> `,
      )}
    </nav>
    ${
      shown !== undefined &&
      html`<p class="line">
        <b>${shareOf(shown)}</b> <span class="more">${means[shown.name]}: ${shown.hosts} of ${shown.total}</span>
      </p>`
    }`;
}

function table({ title, rows, means = {} }: CountedFigure): Html {
  return html`<table>
    <caption class="unseen">
      ${title}
    </caption>
    <thead>
      <tr>
        <th scope="col">What</th>
        <th scope="col">Hosts</th>
        <th scope="col">Of</th>
        <th scope="col">Share</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            <th scope="row">
              ${quoted(row.name, 100)}${means[row.name] !== undefined && html` <span class="soft">${means[row.name]}</span>`}
            </th>
            <td>${row.hosts}</td>
            <td>${row.total}</td>
            <td>${shareOf(row)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function shareOf(row: CountedFigure['rows'][number]): string {
  const share = percent(row);
  return share === null ? 'of none' : `${share} %`;
}
