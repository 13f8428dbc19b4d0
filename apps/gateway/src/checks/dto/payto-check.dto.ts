import { IsIn, IsOptional } from 'class-validator';
import { EmptyIsMissing } from '../../http/validated';

/** Spec 4.9 names one network. */
export const PAYTO_NETWORKS = ['eip155:8453'] as const;

/** Query of endpoint 9 beside `address` (spec 4.9). */
export class PayToCheckDto {
  @EmptyIsMissing()
  @IsOptional()
  @IsIn(PAYTO_NETWORKS, { message: 'network must be eip155:8453', context: { allowed: PAYTO_NETWORKS } })
  network?: (typeof PAYTO_NETWORKS)[number];
}
