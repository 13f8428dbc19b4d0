import { statedPreference } from './documents';
import type { SignalDefinition } from './signal';

const SIGNAL = /^\s*(?:search|ai-input|ai-train)\s*=\s*(?:yes|no)\s*$|^\s*use\s*=\s*(?:immediate|reference|full)\s*$/i;

/** Content Signals: what a site allows its content to be used for, https://contentsignals.org/. A preference, no block. */
export const contentSignals: SignalDefinition = {
  id: 'content-signals',
  judge: (seen) =>
    statedPreference(seen, 'Content-Signal', (value) => value.split(',').every((part) => SIGNAL.test(part))),
};
