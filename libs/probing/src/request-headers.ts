import type { ProbeRequest } from '@app/detectors';
import { defined } from '@app/platform';

/**
 * The only headers of a probe in addition to User-Agent, Accept and Accept-Encoding: protocol negotiation, and nothing
 * that identifies or pays for anybody. `Cookie`, `Authorization`, `Referer`, `Origin` and all payment headers are not
 * in the list, so they are refused.
 */
const ALLOWED = new Set([
  'a2a-extensions',
  'a2a-version',
  'accept-encoding',
  'api-version',
  'content-type',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'ucp-agent',
  'x-402-version',
]);

/** The three headers of Web Bot Auth (RFC 9421 with draft-meunier-web-bot-auth-architecture). */
type SignatureHeaders = Readonly<Record<'signature-agent' | 'signature-input' | 'signature', string>>;

/** Signs a request just before it is sent; `url` is its URL. */
export type SignRequest = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}) => SignatureHeaders;

/**
 * The headers of one request, with names in lower case.
 * @throws Error if a detector declares a forbidden header, which is a bug and never the host's fault
 */
export function requestHeaders(request: ProbeRequest, userAgent: string): Readonly<Record<string, string>> {
  const declared = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const forbidden = declared.find(([name]) => !ALLOWED.has(name));
  if (forbidden) throw new Error(`probes never send the header ${forbidden[0]}`);
  return {
    'user-agent': userAgent,
    accept: request.accept ?? 'application/json, */*;q=0.1',
    'accept-encoding': 'gzip, deflate, br',
    ...defined({ 'content-type': request.body === undefined ? undefined : 'application/json' }),
    ...Object.fromEntries(declared),
  };
}
