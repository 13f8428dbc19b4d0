import { PAY_INTENTS, type PayIntent } from '@app/reports';
import { IsIn, IsOptional } from 'class-validator';
import { EmptyIsMissing } from '../../http/validated';

/** Query of endpoint 7 (spec 4.7). */
export class PayPreflightDto {
  @EmptyIsMissing()
  @IsOptional()
  @IsIn(PAY_INTENTS, { message: 'intent must be one of checkout, api, any', context: { allowed: PAY_INTENTS } })
  intent?: PayIntent;
}
