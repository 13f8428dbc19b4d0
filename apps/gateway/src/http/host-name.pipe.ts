import { Injectable, type PipeTransform } from '@nestjs/common';
import type { HostName } from '@app/hosts';
import { hostArgument } from './arguments';

/** The `domain` of a path as a vetted host name; 400 `invalid_domain` otherwise (behaviour 1.1). */
@Injectable()
export class HostNamePipe implements PipeTransform<string, HostName> {
  transform(raw: string): HostName {
    return hostArgument(raw);
  }
}
