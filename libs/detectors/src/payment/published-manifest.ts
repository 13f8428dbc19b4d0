import { defined } from '@app/platform';
import { x402ManifestReadings } from '../documents/x402-manifests';
import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { saidJson, type Reading } from '../evidence/reading';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { readX402Manifest, type X402Manifest } from './x402-manifest';

/** A host's x402 manifest with its evidence. */
export interface PublishedManifest extends Pick<
  X402Manifest,
  'family' | 'version' | 'keys' | 'name' | 'ownershipProofs'
> {
  readonly answer: Answer;
  readonly url: string;
  /** It has a known `x402Version` and is not an unfilled template: enough for `present` without a live challenge. */
  readonly sound: boolean;
  /** Why it is invalid. */
  readonly note?: string;
  readonly findings: readonly Finding[];
  /** Evaluated from its beginning, because the rest exceeds the size limit. */
  readonly truncated: boolean;
}

/**
 * The best manifest of the host, the path without extension first; undefined if there is no JSON at any of the paths.
 */
export function publishedManifest(seen: HostEvidence): PublishedManifest | undefined {
  const found = x402ManifestReadings(seen).flatMap((reading) => manifestIn(reading) ?? []);
  return found.find((manifest) => manifest.sound) ?? found[0];
}

function manifestIn(reading: Reading): PublishedManifest | undefined {
  if (reading.kind === 'broken_json') return blank(reading.answer, 'not_json');
  const said = saidJson(reading);
  if (!said) return undefined;
  const { answer, truncated } = said;
  const manifest = readX402Manifest(said.value);
  const note = noteOf(manifest);
  // The missing field may be in the unread part of a truncated manifest.
  if (truncated && note !== undefined) return undefined;
  const { family, version, keys, name, ownershipProofs, accepts } = manifest;
  const ticker = accepts.some(({ asset }) => asset !== null && /^[A-Za-z.]{2,8}$/.test(asset) && asset !== 'USD');
  return {
    ...blank(answer, note),
    ...{ family, version, keys, name, ownershipProofs, truncated },
    sound: note === undefined,
    findings: findingsWhere([[ticker, 'manifest_asset_is_ticker', answer.finalUrl]]),
  };
}

function noteOf(manifest: X402Manifest): string | undefined {
  if (manifest.placeholder) return 'manifest_placeholder';
  if (manifest.version !== null) return undefined;
  if (manifest.statesVersion) return 'x402_version_unrecognised';
  return manifest.family === 'unrecognised' ? 'manifest_unrecognised' : 'manifest_without_x402version';
}

function blank(answer: Answer, note?: string): PublishedManifest {
  return {
    answer,
    url: answer.finalUrl,
    family: 'unrecognised',
    version: null,
    keys: [],
    name: null,
    ownershipProofs: false,
    sound: false,
    ...defined({ note }),
    findings: [],
    truncated: false,
  };
}
