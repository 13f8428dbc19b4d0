import { ProcessEnd } from '@app/platform';

/** Created before the other modules load, which takes a second, so that signals in that time are handled. */
export const processEnd = new ProcessEnd('worker');
