import { statedPreference } from './documents';
import type { SignalDefinition } from './signal';

/** The paths that a statement in robots.txt is about; without one it is about all. */
const PATH = /^\s*\/\S*\s+/;

/** A dictionary whose values are `y` or `n` (draft-ietf-aipref-attach). */
const USAGE = /^\s*[a-z][a-z0-9-]{0,40}\s*=\s*[yn]\s*$/;

/** AI preferences of the IETF: `Content-Usage` in robots.txt or as a header. */
export const aipref: SignalDefinition = {
  id: 'aipref',
  judge: (seen) =>
    statedPreference(seen, 'Content-Usage', (value) =>
      value
        .replace(PATH, '')
        .split(',')
        .every((part) => USAGE.test(part)),
    ),
};
