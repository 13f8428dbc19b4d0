/** @param server `address`, `address:port` or `[address]:port` */
export function nameServerAddress(server: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? [];
  return { host: bracketed ?? plain ?? server, port: Number(port) };
}
