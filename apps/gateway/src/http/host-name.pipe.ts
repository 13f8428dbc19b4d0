import { Injectable, type PipeTransform } from '@nestjs/common';
import { HostName } from '@app/reports';
import { RequestError } from './request-error';

/** The `domain` of a path as a vetted host name; 400 `invalid_domain` otherwise (contract 1). */
@Injectable()
export class HostNamePipe implements PipeTransform<string, HostName> {
  transform(raw: string): HostName {
    const reading = HostName.parse(raw);
    if (!reading.ok) throw new RequestError(400, 'invalid_domain', reading.sentence);
    return reading.host;
  }
}
