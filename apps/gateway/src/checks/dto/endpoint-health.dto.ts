import { IsIn, IsOptional, IsString } from 'class-validator';
import { EmptyIsMissing } from '../../http/validated';

/** What an endpoint is asked with. */
export const HEALTH_METHODS = ['GET', 'POST'] as const;

/** Query of endpoint 8 (spec 4.8); the URL's own rules are `parseProbeUrl`'s. */
export class EndpointHealthDto {
  @IsString({ message: 'url must be given once, as an absolute https URL' })
  url!: string;

  @EmptyIsMissing()
  @IsOptional()
  @IsIn(HEALTH_METHODS, { message: 'method must be GET or POST', context: { allowed: HEALTH_METHODS } })
  method?: (typeof HEALTH_METHODS)[number];
}
