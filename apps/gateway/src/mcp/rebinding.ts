import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';

/**
 * Keeps web pages from reaching a gateway on the machine of a user through a name that they point at it (DNS
 * rebinding): it answers to names of this machine only. A gateway with a public name is there for every page anyway,
 * and behind a proxy its Host header may be anything.
 */
export class RebindingGuard {
  private readonly allowed: string[] | undefined;

  constructor(baseUrl: string) {
    const local = localhostAllowedHostnames();
    const { hostname } = new URL(baseUrl);
    this.allowed = local.includes(hostname) ? local : undefined;
  }

  admits(host: string | undefined, origin: string | undefined): boolean {
    if (!this.allowed) return true;
    return validateHostHeader(host, this.allowed).ok && validateOriginHeader(origin, this.allowed).ok;
  }
}
