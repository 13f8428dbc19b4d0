import { findingOf, PROOFS, type CheckFinding } from '@app/owners';

const CLAIM = { domain: 'shop.example.com', challenge: 'f'.repeat(64), nameServers: [] };
const NO_FILE = { status: 404, headers: [], body: '', bytes: 0 };
const urls = PROOFS.flatMap(({ source, at }) => (source === 'document' ? at(CLAIM.domain) : []));

/** The result of a check if nothing is published, for any proofs. */
export const ABSENT: CheckFinding = findingOf(
  CLAIM,
  {
    zone: [],
    records: PROOFS.map(() => [{ exists: false, records: [], target: null }]),
    documents: new Map(urls.map((url) => [url, NO_FILE])),
  },
  new Date(),
);
/** The result if nobody answers. */
export const SILENT: CheckFinding = findingOf(CLAIM, { zone: [], records: [], documents: new Map() }, new Date());
