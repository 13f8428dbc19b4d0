import { DETECTORS, findDetector, type Detector, type Inquiry } from '@app/detectors';
import { DID_DOCUMENT } from '@app/reports';
import type { Subject } from './task';

/** Paid routes are called, since only a live challenge tells whom the host asks to pay; other documents are only read. */
const CALLED = ['x402', 'mpp', 'openapi'];
const READ = ['ucp', 'a2a'];

const WHO_IS_PAID: readonly Inquiry[] = [
  { probes: [{ method: 'GET', url: DID_DOCUMENT, accept: 'application/did+json, application/json;q=0.9' }] },
  ...CALLED.map(detectorOf),
  ...READ.map(detectorOf).map(({ probes, followUps }) => ({ probes, ...(followUps ? { followUps } : {}) })),
];

/** Who asks when a look has this subject. */
export function inquiriesOf(subject: Subject): readonly Inquiry[] {
  return subject.kind === 'payto_check' ? WHO_IS_PAID : detectorsOf(subject);
}

/** Who judges; nobody for a check that changes no report. */
export function detectorsOf(subject: Subject): readonly Detector[] {
  if (subject.kind === 'host') return DETECTORS;
  return subject.kind === 'protocol' ? [detectorOf(subject.protocol)] : [];
}

function detectorOf(id: string): Detector {
  const detector = findDetector(id);
  if (!detector) throw new Error(`there is no detector ${id}`);
  return detector;
}
