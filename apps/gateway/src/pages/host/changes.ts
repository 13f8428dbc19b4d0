import type { ChangeSummary, HostReport } from '@app/reports';
import { html, quoted, type Html } from '../html/html';
import { shortName } from '../protocol-names';
import { moment } from '../times';
import { changeWord } from './change-words';
import { timeline } from './timeline';

/** The last changes, newest first, as a drawing and as a list. */
export function changeHistory(report: HostReport, changes: readonly ChangeSummary[]): Html {
  if (changes.length === 0) {
    return html`<p class="soft">No change was seen since we first looked. The first look is the baseline.</p>`;
  }
  return html`${timeline(report, changes)}
    <ol class="changes" reversed>
      ${changes.map(
        ({ id, at, protocol, kind, summary }) =>
          html`<li id="change-${id}" tabindex="-1">
            <p>${moment(at)} <a href="#${protocol}">${shortName(protocol)}</a> <b>${changeWord(kind)}</b></p>
            <p>${quoted(summary, 400)}</p>
          </li>`,
      )}
    </ol>`;
}
