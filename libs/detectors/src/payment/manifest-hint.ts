import type { HostEvidence } from '../evidence/host-evidence';
import type { Judgement } from '../judgement/judgement';

/** Places of x402 manifests in the field that no text defines. */
const PLACE = /(?:\/\.well-known\/x402-payment|(?<!\.well-known)\/x402\.json)\b/;

/** Such a place that the home page or the map names is a hint for a person: it is not requested, and decides nothing. */
export function withManifestHint(judgement: Judgement, seen: HostEvidence): Judgement {
  if (judgement.status !== 'absent') return judgement;
  const [hint] = ['/', '/llms.txt'].flatMap((path) => {
    const exchange = seen.at(path);
    return (exchange?.kind === 'answer' && PLACE.exec(exchange.body)?.[0]) || [];
  });
  return hint === undefined ? judgement : { ...judgement, details: { ...judgement.details, hint } };
}
