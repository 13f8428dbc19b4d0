import { Injectable, type PipeTransform } from '@nestjs/common';
import type { DetectorId } from '@app/detectors';
import { protocolArgument } from './arguments';

/** The `protocol` of a path as a detector id; 400 `unknown_protocol` otherwise (contract 1). */
@Injectable()
export class DetectorIdPipe implements PipeTransform<string, DetectorId> {
  transform(raw: string): DetectorId {
    return protocolArgument(raw);
  }
}
