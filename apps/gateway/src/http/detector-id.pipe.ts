import { Injectable, type PipeTransform } from '@nestjs/common';
import { DETECTOR_IDS, type DetectorId } from '@app/detectors';
import { RequestError } from './request-error';

/** The `protocol` of a path, trimmed and lower-cased; 400 `unknown_protocol` listing the ids otherwise (contract 1). */
@Injectable()
export class DetectorIdPipe implements PipeTransform<string, DetectorId> {
  transform(raw: string): DetectorId {
    const id = raw.trim().toLowerCase();
    const known = DETECTOR_IDS.find((candidate) => candidate === id);
    if (!known) {
      throw new RequestError(400, 'unknown_protocol', `protocol must be one of ${DETECTOR_IDS.join(', ')}`, {
        allowed: DETECTOR_IDS,
      });
    }
    return known;
  }
}
