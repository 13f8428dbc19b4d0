import { ProcessEnd } from '@app/platform';

/** Made before the rest is read, which takes a second: a signal that comes meanwhile is heard. */
export const processEnd = new ProcessEnd('worker');
