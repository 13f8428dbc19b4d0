/** Arguments of a tool. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A request to a REST route, with its path below `/api/v1`. */
export interface Route {
  readonly path: string;
  /** The body of a POST. */
  readonly post?: unknown;
}

/** The equivalent REST request of a tool call. */
export function twinOf(tool: string, { domain, protocol, txHash, tx = txHash, ...rest }: Arguments): Route {
  const host = `/hosts/${encodeURIComponent(String(domain))}`;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) query.set(name, String(value));
  const asked = query.size === 0 ? '' : `?${query.toString()}`;
  switch (tool) {
    case 'lookup_host':
    case 'participation_check':
      return { path: host };
    case 'list_changes':
      return { path: `${host}/changes${asked}` };
    case 'refresh_host':
      return { path: `${host}/refresh` };
    case 'refresh_host_protocol':
      return { path: `${host}/protocols/${encodeURIComponent(String(protocol))}/refresh` };
    case 'refresh_hosts_batch':
      return { path: '/hosts/refresh', post: rest };
    case 'pay_preflight':
      return { path: `${host}/pay-preflight${asked}` };
    case 'endpoint_health':
      return { path: `/endpoints/health${asked}` };
    case 'payto_check':
      return { path: `${host}/payto-check${asked}` };
    case 'verify_receipt':
      return { path: `/receipts/${String(tx)}/verify${asked}` };
    default:
      throw new Error(`${tool} has no route`);
  }
}
