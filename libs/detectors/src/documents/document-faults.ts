import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { findingsWhere, type Finding, type FixAdvice, withFindings, type Judgement } from '../judgement/judgement';
import { leakedPrivateKey } from './private-key';
import { showsPrivateKey } from '../quoting/key-text';
import { servingFindings } from './well-known-json';

const LEAK = 'private_key_leaked';

/**
 * Adds findings that apply to documents of every protocol (behaviour 4.10): duplicate fields, how the JSON is served,
 * and private keys, whose text is then kept out of the report. Documents are the answers to GET requests that decided
 * the judgement, except pages and error responses.
 */
export function withDocumentFaults(judgement: Judgement, seen: HostEvidence): Judgement {
  const documents = judgement.decidedBy.filter(
    (exchange): exchange is Answer => exchange.kind === 'answer' && exchange.method === 'GET' && exchange.status < 300,
  );
  const found = documents.flatMap((answer) => findingsOf(answer, seen));
  return {
    ...withFindings(judgement, found),
    withholdExcerpts: judgement.withholdExcerpts === true || found.some(({ id }) => id === LEAK),
  };
}

function findingsOf(answer: Answer, seen: HostEvidence): readonly Finding[] {
  const reading = seen.readingOf(answer);
  const path = new URL(answer.url).pathname;
  if (reading.kind === 'json') {
    const leak = leakedPrivateKey(reading.value);
    return [
      ...(leak === undefined ? [] : [{ id: LEAK, at: leak }]),
      ...servingFindings({ kind: 'document', path, answer, value: reading.value }),
    ];
  }
  const isText = reading.kind === 'text' || reading.kind === 'broken_json' || reading.kind === 'blocked';
  return findingsWhere([[isText && showsPrivateKey(answer.body), LEAK, path]]);
}

/** The fix for a document that publishes a private key; `document` names it, such as `The server card`. */
export function privateKeyFixes({ findings = [] }: Judgement, document: string): readonly FixAdvice[] {
  const leak = findings.find(({ id }) => id === LEAK);
  if (!leak) return [];
  return [
    {
      kind: 'private_key',
      problem: `${document} publishes a private key at ${leak.at ?? 'an unknown place'}.`,
      fix: 'Unless it is a made-up example, revoke that key now. Publish only the public members of a key; d, p, q, dp, dq, qi, oth, k and PEM blocks of private keys must never leave your server.',
    },
  ];
}
