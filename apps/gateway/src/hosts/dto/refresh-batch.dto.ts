import { ArrayMaxSize, ArrayNotEmpty, Equals, IsArray, IsString } from 'class-validator';

/** Spec 8. */
export const MAX_BATCH = 10;

/** Body of endpoint 5 (spec 4.5). */
export class RefreshBatchDto {
  // The last rule is asked first, and the first one broken is told.
  @IsString({ each: true, message: 'each of domains must be a string' })
  @ArrayMaxSize(MAX_BATCH, { message: `domains must contain no more than ${MAX_BATCH} elements` })
  @ArrayNotEmpty({ message: 'domains must not be empty' })
  @IsArray({ message: `domains must be a list of 1 to ${MAX_BATCH} host names` })
  domains!: string[];

  @Equals('full', { message: 'mode must be full', context: { allowed: ['full'] } })
  mode!: 'full';
}
