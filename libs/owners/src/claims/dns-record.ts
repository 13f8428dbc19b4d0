import { z } from 'zod';
import { defineProof, type ProofAnswers } from './proof';

const RECORD_CHARS = 1_024;

const SENTENCES = {
  found: 'found',
  absent: 'not found',
  disagree: 'some name servers have it, others not yet',
  unknown: 'a name server did not respond',
} as const;

const CNAME = 'Found through a CNAME: anyone who controls this name controls your claim';

/** A TXT record of exactly one host, never of its subdomains (draft-ietf-dnsop-domain-verification-techniques-12). */
export const dnsRecord = defineProof({
  noun: 'a DNS record',
  published: {
    record: z
      .object({ name: z.string(), type: z.literal('TXT'), value: z.string() })
      .describe('The TXT record to publish.'),
  },
  // The claim ends when the record is removed, so the record needs no expiry.
  publish: (domain, challenge) => ({
    record: { name: challengeName(domain), type: 'TXT' as const, value: `token=${challenge} expiry=never` },
  }),
  found: {
    dns: z.enum(Object.keys(SENTENCES) as (keyof typeof SENTENCES)[]),
    target: z
      .string()
      .nullable()
      .describe('Target of the CNAME, if there is one: anyone who controls that name controls the claim.'),
  },
  source: 'records',
  at: challengeName,
  read: agreed,
  levels: ['dns', 'dns-delegated'],
  levelOf: ({ dns, target }) => {
    if (dns === 'found') return target === null ? 'dns' : 'dns-delegated';
    return dns === 'absent' ? null : 'unknown';
  },
  heading: 'A DNS TXT record',
  note: 'Valid as long as the record exists.',
  copies: ({ record }) => [
    ['record-name', 'Name', record.name],
    ['record-value', 'Value', record.value],
  ],
  rows: ({ dns, target }) => [
    ['DNS record', SENTENCES[dns]],
    ...(target === null ? [] : [[CNAME, target, 'quoted'] as const]),
  ],
});

export function challengeName(domain: string): string {
  return `_hostprobe-challenge.${domain}`;
}

/** The result that all name servers agree on; a single one cannot verify or end a claim. */
function agreed({ records: answers }: ProofAnswers, challenge: string, now: Date) {
  const told = answers.flatMap((answer) => answer ?? []);
  if (told.length < answers.length || told.length === 0) return { dns: 'unknown', target: null } as const;
  const holding = told.filter(({ records }) => recordHolds(records, challenge, now));
  if (holding.length === 0) return { dns: 'absent', target: null } as const;
  if (holding.length < told.length) return { dns: 'disagree', target: null } as const;
  return { dns: 'found', target: holding.find(({ target }) => target !== null)?.target ?? null } as const;
}

/** Whether one of the records contains the challenge, alone or as a leading `token=`, and has not expired. */
function recordHolds(records: readonly string[], challenge: string, now: Date): boolean {
  const today = now.toISOString().slice(0, 10);
  return records.some((record) => {
    if (record.length > RECORD_CHARS) return false;
    const [first = '', ...rest] = record.split(' ');
    if (first.replace(/^token=/i, '') !== challenge) return false;
    const expiry = rest.find((pair) => /^expiry=/i.test(pair))?.slice('expiry='.length);
    return expiry === undefined || expiry === 'never' || (/^\d{4}-\d\d-\d\d/.test(expiry) && expiry >= today);
  });
}
