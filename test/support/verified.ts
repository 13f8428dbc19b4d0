import type { StatementClaims } from '@app/signing';
import { verifyStatement, type Expected } from '../../packages/guard/src/verify-statement';

/** All claims of a statement, as the published verifier believes them. */
export async function verified(token: string, expected: Omit<Expected, 'now'>): Promise<StatementClaims> {
  const claims = await verifyStatement(token, { ...expected, now: Date.now() / 1_000 });
  return claims as unknown as StatementClaims;
}
