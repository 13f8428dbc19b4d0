import { traced } from '@app/platform';
import { validityFault, type Attempt, type Authorization, type Facilitator, type PaymentFault } from '@app/payments';
import { RequestError } from '../http/request-error';
import { refused, type RejectionReason } from './signed-match';

export interface VerificationDeps {
  readonly facilitator: Pick<Facilitator, 'verify'>;
  /** Called with the error when the facilitator did not answer. */
  readonly unverified: (error: unknown) => void;
  readonly now: () => Date;
}

/** Checks whether a payment can be taken now: its validity period, and the facilitator's verification. */
export class Verification {
  /** @param budgetMs how long a payment must still be valid when it is taken */
  constructor(
    private readonly deps: VerificationDeps,
    private readonly budgetMs: number,
  ) {}

  /** Why the payment cannot be taken now; undefined if it can. @throws {RequestError} the facilitator did not answer */
  async faultOf({ payment, requirement }: Attempt): Promise<RejectionReason | undefined> {
    const { authorization } = payment.payload as { readonly authorization: Authorization };
    const early = this.validityOf(authorization, requirement);
    if (early) return early;
    const verified = await traced('verify payment', {}, () => this.deps.facilitator.verify(payment, requirement)).catch(
      this.unavailable,
    );
    // A slow facilitator may have used up the remaining validity.
    return verified.ok ? this.validityOf(authorization, requirement) : refused(verified.reason);
  }

  private validityOf(authorization: Authorization, requirement: Attempt['requirement']): PaymentFault | undefined {
    return validityFault(authorization, requirement.maxTimeoutSeconds, this.deps.now(), this.budgetMs);
  }

  /** @throws {RequestError} always: the facilitator or the node did not answer */
  readonly unavailable = (error: unknown): never => {
    this.deps.unverified(error);
    throw new RequestError('facilitator_unavailable');
  };
}
