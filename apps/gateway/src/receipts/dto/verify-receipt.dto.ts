import { IsIn, IsOptional, IsString, Matches, ValidateIf } from 'class-validator';
import { EmptyIsMissing } from '../../http/validated';
import { ExactlyOneOf } from './exactly-one-of';

/** Spec 4.10. */
export const RECEIPT_NETWORKS = ['eip155:8453', 'eip155:84532'] as const;

/** Path and query of endpoint 10 (spec 4.10); the rules of `payTo` and `asset` need the network. */
export class VerifyReceiptDto {
  @Matches(/^0x[0-9a-fA-F]{64}$/, { message: 'tx must be a transaction hash, 0x and 64 hex digits' })
  tx!: string;

  @EmptyIsMissing()
  @IsOptional()
  @IsIn(RECEIPT_NETWORKS, {
    message: 'network must be eip155:8453 or eip155:84532',
    context: { allowed: RECEIPT_NETWORKS },
  })
  network?: (typeof RECEIPT_NETWORKS)[number];

  @EmptyIsMissing()
  @IsOptional()
  @IsString({ message: 'asset must be USDC or the address of USDC on the network' })
  asset?: string;

  /** Atomic units, without leading zeros, more than zero. */
  @EmptyIsMissing()
  @ValidateIf((dto: VerifyReceiptDto) => dto.amount !== undefined || dto.amountUsd === undefined)
  @Matches(/^[1-9]\d{0,29}$/, { message: 'amount must be 1 to 30 digits, more than 0, without leading zeros' })
  @ExactlyOneOf('amount', 'amountUsd')
  amount?: string;

  @EmptyIsMissing()
  @IsOptional()
  @Matches(/^\d{1,12}(?:\.\d{1,6})?$/, {
    message: 'amountUsd must be a decimal with at most 12 digits before and 6 after the point',
  })
  amountUsd?: string;
}
