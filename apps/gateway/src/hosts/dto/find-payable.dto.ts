import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { EmptyIsMissing } from '../../http/validated';
import { Transform } from 'class-transformer';

/** Protocols that rails are of. */
export const RAIL_PROTOCOLS = ['x402', 'mpp'] as const;

/** Most hosts on a page. */
export const MAX_PAGE = 50;

const DOLLARS = /^\d{1,12}(?:\.\d{1,18})?$/;

/** Arguments of the tool `find_payable` (contract 6); all of them may be missing. */
export class FindPayableDto {
  @EmptyIsMissing()
  @IsOptional()
  @IsString({ message: 'query must be a string' })
  @MaxLength(253, { message: 'query must not be longer than 253 characters' })
  query?: string;

  @EmptyIsMissing()
  @IsOptional()
  @IsIn(RAIL_PROTOCOLS, { message: 'protocol must be x402 or mpp', context: { allowed: RAIL_PROTOCOLS } })
  protocol?: (typeof RAIL_PROTOCOLS)[number];

  @EmptyIsMissing()
  @IsOptional()
  @IsString({ message: 'network must be a CAIP-2 id or a name, for example eip155:8453 or base' })
  @MaxLength(64, { message: 'network must not be longer than 64 characters' })
  network?: string;

  /** Models write a price as a number or as text. */
  @EmptyIsMissing()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'number' ? plainDecimal(value) : value))
  @IsOptional()
  @Matches(DOLLARS, { message: 'maxPriceUsd must be a decimal of at least 0, with at most 12 digits before the point' })
  maxPriceUsd?: string;

  @EmptyIsMissing()
  @IsOptional()
  @IsInt({ message: 'limit must be a whole number' })
  @Min(1, { message: 'limit must be at least 1' })
  @Max(MAX_PAGE, { message: `limit must be at most ${MAX_PAGE}` })
  limit?: number;

  @EmptyIsMissing()
  @IsOptional()
  @IsString({ message: 'cursor must be the nextCursor of the page before' })
  @MaxLength(253, { message: 'cursor must be the nextCursor of the page before' })
  cursor?: string;
}

/** A number as text that {@link DOLLARS} can judge: `1e-7` has no exponent then. */
function plainDecimal(value: number): string {
  return Number.isFinite(value) ? value.toFixed(18).replace(/\.?0+$/, '') : String(value);
}
