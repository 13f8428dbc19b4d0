import { z } from 'zod';
import { defined } from '@app/platform';
import type { KeySet } from '@app/signing';
import { hostOf } from '../terminal/exit-codes';
import { DOMAIN, type LocalTool } from './local-tool';

const INPUT = z.strictObject({
  statement: z.string().max(8_192).describe('a signed statement: a JWT of three parts separated by dots'),
  domain: DOMAIN.describe('the host that the statement must be about, such as shop.example.com').optional(),
});

const ANSWER = z.looseObject({
  valid: z.boolean(),
  sentence: z.string(),
  /** The first check that failed. */
  code: z.string().optional(),
  claims: z.looseObject({ sub: z.string(), outcome: z.string() }).optional(),
});

/** The trusted issuer and its keys. */
interface Trusted extends Pick<KeySet, 'keys'> {
  readonly issuer: string;
}

/**
 * Trusts only the issuer that the user chose when starting the server, never an issuer that a statement or a model
 * names.
 */
export function verifyStatementTool(trusted: () => Promise<Trusted>): LocalTool<typeof INPUT> {
  return {
    name: 'verify_statement',
    title: 'Verify a signed statement about a host',
    description:
      'Checks that a statement was signed by the configured hostprobe service, is valid now, and is about the host you name, and returns its content: outcome, cells, payment options. Price: free. Failures: service_unavailable when the keys cannot be fetched, or invalid_arguments when no service is configured. An invalid statement returns valid false. Use check_before_paying to compare a payment with it.',
    input: INPUT,
    answer: ANSWER,
    asksHosts: false,
    run: async ({ statement, domain }) => {
      const subject = domain === undefined ? undefined : `https://${hostOf(domain).ascii}`;
      const { keys, issuer } = await trusted();
      const { StatementError, verifyStatement } = await import('../../../../packages/guard/src/index.js');
      try {
        const now = Date.now() / 1_000;
        const said = { issuer, keys: { keys }, now, ...defined({ subject }) };
        const claims = await verifyStatement(statement.trim(), said);
        const until = new Date(claims.exp * 1_000).toISOString();
        return {
          valid: true,
          sentence: `${issuer} signed this about ${claims.sub}; it is valid until ${until}.`,
          claims: { ...claims },
        };
      } catch (error) {
        if (!(error instanceof StatementError)) throw error;
        return { valid: false, code: error.code, sentence: `Do not rely on it: ${error.message}.` };
      }
    },
  };
}
