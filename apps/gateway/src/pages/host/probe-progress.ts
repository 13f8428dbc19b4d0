import { DETECTOR_IDS } from '@app/detectors';
import type { HostName } from '@app/hosts';
import type { StoredRun } from '@app/storage';
import { isErrorCode } from '../../http/error-codes';
import { html } from '../../http/html';
import { RequestError } from '../../http/request-error';
import { PROGRESS_SCRIPT } from '../layout/assets';
import type { PageContent } from '../layout/page';

/** Without a script, the page reloads after this many seconds, until the deadline of the run. */
const RELOAD_SEC = 2;

/** The page that shows the progress of a run. */
export function progressPath(host: Pick<HostName, 'ascii'>, run: string): string {
  return `/hosts/${host.ascii}/probe?run=${run}`;
}

/** Whether a run has ended successfully. @throws {RequestError} if it failed or missed its deadline */
export function hasEnded({ status, failure, deadlineAt }: StoredRun, now: Date): boolean {
  if (status === 'done') return true;
  if (status === 'failed') throw new RequestError(failure !== null && isErrorCode(failure) ? failure : 'probe_failed');
  if (status === 'expired' || deadlineAt <= now) throw new RequestError('probe_timeout');
  return false;
}

/** @param asked the number of protocols that the probe has requested */
export function progressContent({ id, domain, status }: StoredRun, asked: number): PageContent {
  const most = DETECTOR_IDS.length;
  return {
    title: `Probing ${domain}`,
    description: `A probe of ${domain} is running.`,
    indexed: false,
    reloadSec: RELOAD_SEC,
    script: PROGRESS_SCRIPT.path,
    body: html`<header class="summary">
      <p class="over">Probe</p>
      <h1>Probing ${domain} …</h1>
      <p class="line quiet" id="probing" role="status" data-events="/api/v1/runs/${id}/events">
        ${status === 'queued' ? 'Waiting for its turn' : `${asked} of ${most} protocols`}
      </p>
      <progress aria-label="Protocols checked" max="${most}" value="${asked}"></progress>
      <p class="soft">The report appears here when the probe is done.</p>
      <p class="links"><a href="/hosts/${domain}">Last report for ${domain}</a></p>
    </header>`,
  };
}
