import { atomicToUsd, type Difference, type IncomingTransfer, type LedgerEntry, type Sum } from '@app/payments';
import type { LedgerScope } from '@app/storage';
import type { LedgerReport } from './ledger-check';

/** What the command prints: totals of the three sides, what is open, and one line per difference. */
export function ledgerScreen({ network, payTo }: LedgerScope, report: LedgerReport): string {
  const { range, chain, ledger, answers, open, differences } = report;
  const landed = open.filter(({ transfer }) => transfer !== null);
  const lines = [
    `USDC to ${payTo} on ${network}, blocks ${range.fromBlock} to ${range.toBlock}`,
    `chain    ${money(chain)} in transfers`,
    `ledger   ${money(ledger)} in settled attempts`,
    `answers  ${answers} stored`,
    `open     ${open.length} attempts, ${landed.length} of them with their transfer on the chain already`,
    ...landed.map(({ entry, transfer }) => `  open  ${nameOf(entry)}${transfer ? `, ${placeOf(transfer)}` : ''}`),
    differences.length === 0 ? 'no difference' : `differences: ${differences.length}`,
    ...differences.map((difference) => `  ${difference.kind}  ${describe(difference)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function describe(difference: Difference): string {
  switch (difference.kind) {
    case 'settled_without_transfer':
      return `${nameOf(difference.entry)} names transaction ${difference.entry.transaction ?? 'none'}`;
    case 'settled_without_answer':
      return nameOf(difference.entry);
    case 'settled_twice':
      return `${nameOf(difference.entry)}, ${difference.times} times`;
    case 'transfer_without_settlement': {
      const { entry, transfer } = difference;
      return `${placeOf(transfer)}; ${entry ? nameOf(entry) : 'no attempt'}`;
    }
    case 'amount_mismatch':
    case 'payer_mismatch':
    case 'transaction_mismatch':
      return `${nameOf(difference.entry)}; the chain has ${placeOf(difference.transfer)}`;
  }
}

function nameOf({ id, state, amount, payer }: LedgerEntry): string {
  return `attempt ${id} (${state}, ${atomicToUsd(amount)} of ${payer})`;
}

function placeOf({ transaction, block, payer, amount, nonce }: IncomingTransfer): string {
  const under = nonce === null ? 'without an authorization' : `under authorization ${nonce}`;
  return `${atomicToUsd(amount)} of ${payer} ${under} in ${transaction}, block ${block}`;
}

function money({ count, atomic }: Sum): string {
  return `${atomicToUsd(atomic)} USDC, ${count}`;
}
