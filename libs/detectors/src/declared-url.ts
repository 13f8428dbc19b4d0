import type { Finding } from './detector';

/** Words left over from templates and tutorials, and names RFC 2606 keeps for documentation. */
const PLACEHOLDER =
  /\{\{|\$\{|<[a-z_-]+>|^https?:\/\/(?:[^/]*\.)?(?:your-[a-z-]+\.com|yourdomain\.[a-z]+|domain\.com)(?:[:/]|$)/i;

const LOCAL = /^(?:localhost|.+\.localhost|.+\.local|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/;

/** Hosts that development tunnels hand out for a session. */
const TUNNEL = /(?:^|\.)(?:ngrok\.io|ngrok\.app|ngrok-free\.app|ngrok-free\.dev|trycloudflare\.com|loca\.lt)$/;

/** Why nobody outside can call a URL that a document declares, or undefined when nothing speaks against it. */
export function unusable(url: string): 'placeholder_url' | 'local_url' | 'not_a_url' | undefined {
  if (PLACEHOLDER.test(url.slice(0, 2_048))) return 'placeholder_url';
  if (!URL.canParse(url)) return 'not_a_url';
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'not_a_url';
  return LOCAL.test(hostname) ? 'local_url' : undefined;
}

/** Faults of a declared absolute URL that can be told without calling it; `at` is where the document says it. */
export function declaredUrlFindings(url: string, at: string): readonly Finding[] {
  const fault = unusable(url);
  if (fault) return [{ id: fault, at }];
  const { protocol, hostname } = new URL(url);
  return [
    ...(protocol === 'http:' ? [{ id: 'endpoint_not_https', at }] : []),
    ...(TUNNEL.test(hostname) ? [{ id: 'tunnel_url', at }] : []),
  ];
}
