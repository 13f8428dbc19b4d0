import type { PaymentRail } from '@app/reports';
import { renderFacts } from '@app/reports';
import { sha256Of, type StatedReport } from '@app/signing';
import { cell, rail } from './report';

/** The versions of the four present protocols. */
const VERSIONS = ['2026-08-25', null, '2025-11-25', '2'];

/** A stored report with this many payment options, probed at a time in seconds since 1970. */
export function statedReport({
  at,
  rails,
  unreachable,
}: {
  readonly at: number;
  readonly rails: number;
  readonly unreachable?: string;
}): StatedReport {
  const probedAt = new Date(at * 1_000).toISOString();
  const clocks = { probedAt, callabilityProbedAt: probedAt };
  const down = unreachable === undefined ? undefined : { reason: unreachable };
  const options = Array.from({ length: rails }, (_, index): PaymentRail =>
    rail({ resource: `https://shop.example.com/v1/quote-${index}`, amount: String(10_000 + index) }),
  );
  const ids = ['ucp', 'acp', 'ap2', 'tap', 'mcp', 'a2a', 'x402', 'mpp', 'llms', 'ai-plugin', 'openapi'];
  const facts = renderFacts({
    domain: 'shop.example.com',
    origin: 'https://shop.example.com',
    ...clocks,
    reachable: !down,
    ucp: null,
    fixes: [],
    protocols: ids.map((id, index) =>
      down ? cell(id, 'error', down) : cell(id, index < 4 ? 'present' : 'absent', {}, VERSIONS[index] ?? null),
    ),
    paymentRails: { payable: rails > 0, checkedAt: probedAt, rails: options },
    rules: { version: '2026-11-22', checked: '2026-11-22' },
  });
  return {
    facts,
    clocks,
    id: '0193f1c2-7a6b-7c3d-8e4f-5a6b7c8d9e0f',
    sha256: Buffer.from(sha256Of(facts), 'base64url').toString('hex'),
    evidence: { root: 'ab'.repeat(32), lines: 31 },
  };
}
