import type { Fix } from '@app/detectors';
import type { HostReport } from '@app/reports';
import { html, quoted, type Html } from '../html/html';
import { countOf } from './verdict';
import { agentPrompt } from './agent-prompt';
import { copyButton } from './copy-button';

/** Longest advice; the detectors end theirs there as well. */
const MAX_FIX = 4_000;

/** What the owner can do, each as text and as a task for a coding agent. */
export function fixList(report: HostReport, reportUrl: string): Html {
  const { fixes } = report;
  if (fixes.length === 0) {
    const unseen = countOf(report, 'error') > 0 ? ' What could not be looked at may still be missing.' : '';
    return html`<p class="soft">Nothing to advise.${unseen}</p>`;
  }
  return html`<div class="prompt-all copyable">
      ${copyButton('prompt-all', `Copy all ${fixes.length} as one prompt`)}
      <pre id="prompt-all" hidden>${agentPrompt(report, fixes, reportUrl)}</pre>
    </div>
    <ol class="fixes">
      ${fixes.map((fix) => advice(fix, report, reportUrl))}
    </ol>`;
}

function advice(fix: Fix, report: HostReport, reportUrl: string): Html {
  const id = `fix-${fix.id.replaceAll('.', '-')}`;
  return html`<li>
    <details class="fix">
      <summary>
        <h3>${quoted(fix.problem, 300)}</h3>
        <code>${fix.id}</code>
      </summary>
      <div class="inside">
        <pre id="${id}" tabindex="0" aria-label="What to do">${quoted(fix.fix, MAX_FIX)}</pre>
        <p class="actions">
          ${copyButton(id, 'Copy fix')} ${copyButton(`${id}-prompt`, 'Copy prompt for a coding agent')}
          <a href="${fix.spec}" rel="noreferrer">Specification</a>
        </p>
        <details class="prompt">
          <summary>Prompt for a coding agent</summary>
          <pre id="${id}-prompt" tabindex="0" aria-label="Prompt">${agentPrompt(report, [fix], reportUrl)}</pre>
        </details>
      </div>
    </details>
  </li>`;
}
