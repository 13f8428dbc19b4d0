import type { Finding, FixAdvice } from '../../judgement/judgement';

const PROBLEMS: Readonly<Record<string, string>> = {
  endpoint_not_https: 'with http://',
  endpoint_port: 'with the port of a server behind your proxy',
  endpoint_userinfo: 'with a user name',
  local_url: 'that only a developer machine or private network can reach',
  placeholder_url: 'that is an example',
  tunnel_url: 'at a tunnel, which closes with the developer session',
  ip_url: 'by IP address, but clients pay a host name',
};

/** The fix for priced routes whose URLs clients cannot call as written. */
export function adviseAddress(findings: readonly Finding[]): readonly FixAdvice[] {
  const [first] = findings;
  if (!first) return [];
  const problem = `${first.at ?? ''} gives the address of a priced route ${PROBLEMS[first.id] ?? ''}.`;
  const fix =
    'Use the public https:// address; in OpenAPI that is servers[0].url. Behind a proxy, pass X-Forwarded-Proto and X-Forwarded-Host to whatever generates the document.';
  return [{ kind: 'address', problem, fix }];
}
