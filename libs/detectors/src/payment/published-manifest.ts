import { defined } from '@app/platform';
import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { saidJson, type Reading } from '../evidence/reading';
import { member } from '../formats/json';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { X402_MANIFEST_PATHS } from './advertisements';
import { readX402Manifest, type X402Manifest } from './x402-manifest';

/** The x402 manifest a host publishes, with what it proves. */
export interface PublishedManifest extends Pick<
  X402Manifest,
  'family' | 'version' | 'keys' | 'name' | 'ownershipProofs'
> {
  readonly answer: Answer;
  readonly url: string;
  /** States a known `x402Version` and is no unfilled template: enough for `present` without a live challenge. */
  readonly sound: boolean;
  /** Why it is not sound. */
  readonly note?: string;
  readonly findings: readonly Finding[];
  /** Judged from its head, the rest being beyond the size cap. */
  readonly truncated: boolean;
}

/**
 * The best manifest of the two spellings, the extensionless one first, or a homepage that states `x402Version`
 * (behaviour 5.7); undefined when none of them holds JSON.
 */
export function publishedManifest(seen: HostEvidence): PublishedManifest | undefined {
  const home = seen.read('/');
  const homepage = home.kind === 'json' && member(home.value, 'x402Version') !== undefined ? [home] : [];
  const found = [...X402_MANIFEST_PATHS.map((path) => seen.read(path)), ...homepage]
    .map(manifestIn)
    .filter((manifest) => manifest !== undefined);
  return found.find((manifest) => manifest.sound) ?? found[0];
}

function manifestIn(reading: Reading): PublishedManifest | undefined {
  if (reading.kind === 'broken_json') return blank(reading.answer, 'not_json');
  const said = saidJson(reading);
  if (!said) return undefined;
  const { answer, truncated } = said;
  const manifest = readX402Manifest(said.value);
  const note = noteOf(manifest);
  // What was not read of a cut manifest may be what it lacks.
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
