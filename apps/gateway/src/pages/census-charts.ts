import type { CensusDay, FigureRow } from '@app/persistence';
import { html, type Html } from '../html/html';
import { percent, type CountedFigure } from './census-days';

const BAR = { height: 12, gap: 22, left: 190, width: 420 } as const;
const LINE = { height: 160, width: 560, left: 40, top: 10 } as const;
/** Protocols with a line of their own: those most hosts publish. */
const LINES = 6;
const NAME_CHARS = 28;

const short = (name: string): string => (name.length > NAME_CHARS ? `${name.slice(0, NAME_CHARS - 1)}…` : name);

/** A bar for each row, as long as its share; the table beside it has the numbers. */
export function barChart({ title, rows }: CountedFigure): Html {
  const height = rows.length * BAR.gap + 6;
  const longest = Math.max(1, ...rows.map((row) => percent(row) ?? 0));
  return html`<div class="timeline" tabindex="0" role="group" aria-label="Chart: ${title}">
    <svg viewBox="0 0 680 ${height}" role="img" aria-label="${title}, in percent, as the table below says">
      ${rows.map((row, at) => bar(row, at, longest))}
    </svg>
  </div>`;
}

function bar(row: FigureRow, at: number, longest: number): Html {
  const share = percent(row) ?? 0;
  const [top, length] = [at * BAR.gap + 4, Math.round((share / longest) * BAR.width)];
  return html`<text x="0" y="${top + 10}">${short(row.name)}</text>
    <rect class="dot" x="${BAR.left}" y="${top}" width="${Math.max(1, length)}" height="${BAR.height}" />
    <text x="${BAR.left + length + 8}" y="${top + 10}">${share} %</text>`;
}

/** Adoption of the protocols that most hosts publish, a line each over the counted days; oldest on the left. */
export function adoptionChart(days: readonly CensusDay[]): Html {
  const oldestFirst = days.toReversed();
  const rowsOf = ({ figures }: CensusDay): readonly FigureRow[] => figures['adoption'] ?? [];
  const names = days
    .slice(0, 1)
    .flatMap(rowsOf)
    .slice(0, LINES)
    .map(({ name }) => name);
  const shares = names.map((name) =>
    oldestFirst.map((day) => {
      const row = rowsOf(day).find((one) => one.name === name);
      return row === undefined ? 0 : (percent(row) ?? 0);
    }),
  );
  const highest = Math.max(1, ...shares.flat());
  return html`<div class="timeline" tabindex="0" role="group" aria-label="Chart: adoption over time">
      <svg
        viewBox="0 0 680 ${LINE.height + 36}"
        role="img"
        aria-label="Adoption over time, in percent, as the table of days says"
      >
        ${names.map((name, at) => line(name, shares[at] ?? [], highest))}
        <text x="${LINE.left}" y="${LINE.height + 30}">${oldestFirst[0]?.day}</text>
        <text x="${LINE.left + LINE.width}" y="${LINE.height + 30}" text-anchor="end">${oldestFirst.at(-1)?.day}</text>
      </svg>
    </div>
    ${dayTable(oldestFirst, names, shares)}`;
}

function line(name: string, shares: readonly number[], highest: number): Html {
  const x = (at: number): number => LINE.left + Math.round((at / Math.max(1, shares.length - 1)) * LINE.width);
  const y = (share: number): number => LINE.top + Math.round((1 - share / highest) * LINE.height);
  const points = shares.map((share, at) => `${x(at)},${y(share)}`).join(' ');
  const last = shares.length - 1;
  return html`<polyline class="stretch price" fill="none" points="${points}" />
    <text x="${x(last) + 6}" y="${y(shares[last] ?? 0) + 4}">${name}</text>`;
}

function dayTable(days: readonly CensusDay[], names: readonly string[], shares: readonly (readonly number[])[]): Html {
  return html`<details>
    <summary class="soft">The table of days</summary>
    <div class="timeline" tabindex="0" role="group" aria-label="Adoption by day">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            ${names.map((name) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${days.map(
            ({ day }, at) =>
              html`<tr>
                <th scope="row">${day}</th>
                ${shares.map((own) => html`<td>${own[at]} %</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </details>`;
}
