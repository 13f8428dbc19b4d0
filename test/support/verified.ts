import type { StatementMembers } from '@app/signing';
import { verifyStatement, type Expected } from '../../packages/guard/src/verify-statement';

/** All claims of a statement, checked by the published verifier. */
export async function verified(token: string, expected: Omit<Expected, 'now'>): Promise<StatementMembers> {
  const claims = await verifyStatement(token, { ...expected, now: Date.now() / 1_000 });
  return claims as unknown as StatementMembers;
}
