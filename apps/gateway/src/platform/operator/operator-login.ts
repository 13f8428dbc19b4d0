import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '@app/config';
import { Lockout } from '@app/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../http/error-codes';
import type { ErrorFilter } from '../../http/error.filter';
import { responseOf } from '../../http/error-response';
import { isOwnPage } from '../../http/form-body';

/** How many wrong passwords one caller may send per window. Further tries are refused until the window ends. */
const FAILURES = { name: 'operator_login', points: 10, windowSec: 900 } as const;

const READING: readonly string[] = ['GET', 'HEAD'];

type Credentials = Pick<Config['operator'], 'user'> & { readonly password: string };

/**
 * Protects the operator's pages with HTTP Basic (RFC 7617), a constant-time comparison and few tries per caller (an
 * IPv6 /64 is one caller). Browsers also send the password with requests from other sites' pages, so such requests may
 * not change anything.
 */
export class OperatorLogin {
  private readonly expected: Buffer;
  private readonly failures = new Lockout(FAILURES);

  constructor(
    { user, password }: Credentials,
    private readonly publicBaseUrl: string,
    private readonly errors: Pick<ErrorFilter, 'send'>,
  ) {
    this.expected = digest(`${user}:${password}`);
  }

  /** For Fastify's `onRequest`: answers requests that are not authorized. */
  readonly guard = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    void reply.headers({ 'cache-control': 'no-store', ...PAGE_HEADERS });
    const code = this.refusalOf(request);
    if (code === undefined) return;
    this.errors.send(responseOf(code), request, reply);
    await reply;
  };

  /** Why a request is not authorized; undefined if it is. */
  private refusalOf(request: FastifyRequest): ErrorCode | undefined {
    const { ip, method, headers } = request;
    if (this.failures.isLockedOut(ip)) return 'too_many_logins';
    if (!this.knows(headers.authorization)) {
      if (headers.authorization !== undefined) this.failures.fail(ip);
      return 'login_required';
    }
    return READING.includes(method) || isOwnPage(request, this.publicBaseUrl) ? undefined : 'cross_site_form';
  }

  private knows(authorization: string | undefined): boolean {
    const [, encoded = ''] = /^basic ([A-Za-z0-9+/=]{1,400})$/i.exec(authorization ?? '') ?? [];
    return timingSafeEqual(digest(Buffer.from(encoded, 'base64').toString('utf8')), this.expected);
  }
}

const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Gives both passwords equal lengths, so that the comparison does not reveal the length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
