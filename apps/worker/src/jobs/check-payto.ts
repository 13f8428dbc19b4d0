import { findDetector, HostEvidence, type Inquiry } from '@app/detectors';
import { DID_DOCUMENT, payToFinding, type HostName } from '@app/reports';
import type { Run } from '@app/persistence';
import type { JobParts } from './job';

/** Paid routes are called, since only a live challenge tells whom the host asks to pay; other documents are only read. */
const CALLED = ['x402', 'mpp', 'openapi'];
const READ = ['ucp', 'a2a'];

const INQUIRIES: readonly Inquiry[] = [
  { probes: [{ method: 'GET', url: DID_DOCUMENT, accept: 'application/did+json, application/json;q=0.9' }] },
  ...CALLED.map(inquiryOf),
  ...READ.map(inquiryOf).map(({ probes, followUps }) => ({ probes, ...(followUps ? { followUps } : {}) })),
];

/** Collects who a domain says is to be paid. What it finds holds for every address, so simultaneous buyers share it. */
export async function checkPayTo(
  { prober, runs, signatures }: JobParts,
  run: Run<'payto_check'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  const collected = await prober.collect(host, {
    detectors: INQUIRIES,
    phases: ['presence', 'callability'],
    deadlineMs,
  });
  await runs.finish(run.id, await payToFinding(new HostEvidence(collected), signatures));
}

function inquiryOf(id: string): Inquiry {
  const detector = findDetector(id);
  if (!detector) throw new Error(`there is no detector ${id}`);
  return detector;
}
