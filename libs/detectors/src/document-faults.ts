import type { Finding, FixAdvice, Judgement } from './detector';
import type { Answer } from './exchange';
import type { HostEvidence } from './host-evidence';
import { leakedPrivateKey, showsPrivateKey } from './private-key';
import { servingFindings } from './well-known-json';

const LEAK = 'private_key_leaked';

/**
 * Adds to a judgement what holds for the documents of every protocol (contract 8): members that occur twice, how JSON
 * is served, and private key material, whose text is then kept out of the report. Documents are the answers to GET
 * requests that decided the judgement; pages and refusals are none.
 */
export function withDocumentFaults(judgement: Judgement, seen: HostEvidence): Judgement {
  const documents = judgement.decidedBy.filter(
    (exchange): exchange is Answer => exchange.kind === 'answer' && exchange.method === 'GET' && exchange.status < 300,
  );
  const found = documents.flatMap((answer) => findingsOf(answer, seen));
  if (found.length === 0) return judgement;
  return {
    ...judgement,
    findings: [...(judgement.findings ?? []), ...found],
    ...(found.some(({ id }) => id === LEAK) ? { withholdExcerpts: true } : {}),
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
  return isText && showsPrivateKey(answer.body) ? [{ id: LEAK, at: path }] : [];
}

/** Advice for a document that publishes a private key; `document` names it, such as `The server card`. */
export function privateKeyFixes({ findings = [] }: Judgement, document: string): readonly FixAdvice[] {
  const leak = findings.find(({ id }) => id === LEAK);
  if (!leak) return [];
  return [
    {
      kind: 'private_key',
      problem: `${document} publishes a private key at ${leak.at ?? 'an unknown place'}.`,
      fix: 'Unless it is a made-up example, revoke that key now; then publish at most its public members: d, p, q, dp, dq, qi, oth and k, and PEM blocks of private keys, must never leave your server.',
    },
  ];
}
