import { ArrayMaxSize, ArrayNotEmpty, Equals, IsArray, IsString } from 'class-validator';

/** Spec 8. */
export const MAX_BATCH = 10;

/** Body of endpoint 5 (spec 4.5). */
export class RefreshBatchDto {
  @IsArray({ message: 'domains must be a list of host names' })
  @ArrayNotEmpty({ message: 'domains must not be empty' })
  @ArrayMaxSize(MAX_BATCH, { message: `domains must contain no more than ${MAX_BATCH} elements` })
  @IsString({ each: true, message: 'each of domains must be a string' })
  domains!: string[];

  @Equals('full', { message: 'mode must be full', context: { allowed: ['full'] } })
  mode!: 'full';
}
