import type { Finding, FixAdvice } from '../../judgement/judgement';

/** What to do about addresses of priced routes that clients cannot call as they are written. */
export function adviseAddress(findings: readonly Finding[]): readonly FixAdvice[] {
  const [first] = findings;
  if (!first) return [];
  const problem =
    first.id === 'endpoint_not_https'
      ? `${first.at ?? ''} writes the address of a priced route with http://.`
      : `${first.at ?? ''} states an address of a priced route that only the machine of its developer can reach.`;
  const fix =
    'Write the public https:// address, in OpenAPI as servers[0].url. Behind a proxy, pass X-Forwarded-Proto and X-Forwarded-Host to the generator of the document.';
  return [{ kind: 'address', problem, fix }];
}
