import type { Finding, FixAdvice } from '../../judgement/judgement';

const PROBLEMS: Readonly<Record<string, string>> = {
  endpoint_not_https: 'with http://',
  endpoint_port: 'with the port of a server behind your proxy',
  endpoint_userinfo: 'with a user name',
  local_url: 'that only the machine or the network of its developer can reach',
  placeholder_url: 'that is an example',
  tunnel_url: 'at a tunnel, which ends with the session of its developer',
  ip_url: 'by number, and clients pay a name',
};

/** What to do about addresses of priced routes that clients cannot call as they are written. */
export function adviseAddress(findings: readonly Finding[]): readonly FixAdvice[] {
  const [first] = findings;
  if (!first) return [];
  const problem = `${first.at ?? ''} states an address of a priced route ${PROBLEMS[first.id] ?? ''}.`;
  const fix =
    'Write the public https:// address, in OpenAPI as servers[0].url. Behind a proxy, pass X-Forwarded-Proto and X-Forwarded-Host to the generator of the document.';
  return [{ kind: 'address', problem, fix }];
}
