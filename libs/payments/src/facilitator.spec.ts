import type { FacilitatorClient } from '@x402/core/server';
import { SettleError, type PaymentPayload, type SettleResponse } from '@x402/core/types';
import { requirementFor } from './challenge';
import { ResourceServerFacilitator } from './facilitator';
import { offerOf } from '../../../test/support/offers';

const RESOURCE = 'https://probe.example.com/api/v1/hosts/a.example.com/refresh';
const ROUTE = { path: '/api/v1/hosts/:domain/refresh', answer: {} };
const REQUIREMENT = requirementFor(offerOf({ method: 'GET', resource: RESOURCE, route: ROUTE }), {
  network: 'eip155:8453',
  payTo: '0x1111111111111111111111111111111111111111',
});
const PAYMENT: PaymentPayload = { x402Version: 2, accepted: REQUIREMENT, payload: {} };
const TRANSACTION = `0x${'ab'.repeat(32)}`;

const settled = (transaction: string): SettleResponse => ({ success: true, transaction, network: 'eip155:8453' });
const refused = (errorReason: string, transaction = ''): SettleResponse => ({
  success: false,
  errorReason,
  transaction,
  network: 'eip155:8453',
});

/** The outcomes for a sequence of facilitator answers to settlements, and how many were requested. */
async function settle(...answers: (SettleResponse | Error)[]) {
  let calls = 0;
  const never = (): Promise<never> => Promise.reject(new Error('not called'));
  const client: FacilitatorClient = {
    verify: never,
    getSupported: never,
    settle: () => {
      const answer = answers[calls++] ?? new Error('called too often');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  const outcome = await new ResourceServerFacilitator(client, 'eip155:8453').settle(PAYMENT, REQUIREMENT);
  return { ...outcome, calls };
}

describe("the facilitator's answer to a settlement", () => {
  it('is accepted if it contains a transaction hash', async () => {
    expect(await settle(settled(TRANSACTION))).toEqual({ kind: 'settled', transaction: TRANSACTION, calls: 1 });
  });

  it.each(['', '0xabc', `${TRANSACTION} at http://10.0.0.1:8545`])(
    'is neither accepted nor stored if the transaction hash is invalid: %j',
    async (transaction) => {
      const outcome = await settle(settled(transaction));
      expect(outcome).toEqual({ kind: 'unknown', reason: 'facilitator_named_no_transaction', calls: 1 });
    },
  );

  it.each([
    'insufficient_funds',
    'invalid_exact_evm_signature',
    'invalid_exact_evm_payload_authorization_valid_before',
  ])('is a refusal if the payment is at fault: %s', async (reason) => {
    expect(await settle(refused(reason))).toEqual({ kind: 'refused', reason, calls: 1 });
    expect(await settle(new SettleError(400, refused(reason)))).toEqual({ kind: 'refused', reason, calls: 1 });
  });

  it.each([
    ['invalid_exact_evm_nonce_already_used', ''],
    ['invalid_exact_evm_transaction_simulation_failed', ''],
    ['invalid_exact_evm_transaction_failed', ''],
    ['invalid_exact_evm_transfer_event_mismatch', TRANSACTION],
    ['insufficient_funds', TRANSACTION],
    ['settle_exact_node_failure', ''],
  ])('is not a refusal if money may have moved: %s %s', async (reason, transaction) => {
    expect(await settle(refused(reason, transaction))).toEqual({ kind: 'unknown', reason, calls: 1 });
  });

  it('is unknown if it does not respond, disconnects, or returns 5xx', async () => {
    const unknown = { kind: 'unknown', reason: 'facilitator_gave_no_answer', calls: 1 };
    expect(await settle(new Error('socket hang up'))).toEqual(unknown);
    expect(await settle(new SettleError(500, refused('insufficient_funds')))).toEqual(unknown);
  });

  it('is requested once more if the settlement is pending', async () => {
    const pending = refused('settlement_pending', TRANSACTION);
    expect(await settle(pending, settled(TRANSACTION))).toMatchObject({ kind: 'settled', calls: 2 });
    expect(await settle(new SettleError(409, pending), settled(TRANSACTION))).toMatchObject({
      kind: 'settled',
      calls: 2,
    });
    expect(await settle(pending, pending)).toEqual({ kind: 'unknown', reason: 'settlement_pending', calls: 2 });
  });

  it.each(['insufficient_funds', 'invalid_exact_evm_payload_authorization_valid_before'])(
    'is not a refusal after the settlement was pending: %s',
    async (reason) => {
      const pending = refused('settlement_pending', TRANSACTION);
      expect(await settle(pending, refused(reason))).toEqual({ kind: 'unknown', reason, calls: 2 });
    },
  );
});
