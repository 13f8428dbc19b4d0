import type { Finding } from '../detector';
import type { Answer } from '../exchange';
import type { HostEvidence } from '../host-evidence';
import { member } from '../json';
import type { Reading } from '../reading';
import { X402_MANIFEST_PATHS } from './advertised-routes';
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
 * (spec 2.6); undefined when none of them holds JSON.
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
  if (reading.kind === 'broken_json') {
    const tooLarge = reading.fault === 'json_too_large';
    return (
      (tooLarge ? fromHead(reading.answer) : undefined) ?? blank(reading.answer, tooLarge ? 'too_large' : 'not_json')
    );
  }
  if (reading.kind === 'blocked') {
    return reading.reason === 'too_large' && reading.exchange.kind === 'answer'
      ? fromHead(reading.exchange)
      : undefined;
  }
  if (reading.kind !== 'json') return undefined;
  const { answer } = reading;
  const manifest = readX402Manifest(reading.value);
  const note = noteOf(manifest);
  const { family, version, keys, name, ownershipProofs } = manifest;
  return {
    ...{ family, version, keys, name, ownershipProofs, answer },
    url: answer.finalUrl,
    sound: note === undefined,
    ...(note === undefined ? {} : { note }),
    findings: manifest.accepts.some(({ asset }) => asset !== null && /^[A-Za-z.]{2,8}$/.test(asset) && asset !== 'USD')
      ? [{ id: 'manifest_asset_is_ticker', at: answer.finalUrl }]
      : [],
    truncated: false,
  };
}

function noteOf(manifest: X402Manifest): string | undefined {
  if (manifest.placeholder) return 'manifest_placeholder';
  if (manifest.version !== null) return undefined;
  if (manifest.statesVersion) return 'x402_version_unrecognised';
  return manifest.family === 'unrecognised' ? 'manifest_unrecognised' : 'manifest_without_x402version';
}

/** A manifest beyond the caps is still one when its first members say so. */
function fromHead(answer: Answer): PublishedManifest | undefined {
  const version = /^\uFEFF?\s*\{[^{}[\]]{0,2000}?"x402Version"\s{0,10}:\s{0,10}"?([12])"?\s{0,10}[,}]/.exec(
    answer.body.slice(0, 4_096),
  )?.[1];
  return version === undefined
    ? undefined
    : {
        ...blank(answer),
        version: version === '1' ? 1 : 2,
        keys: ['x402Version'],
        family: 'x402version_only',
        sound: true,
        truncated: true,
      };
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
    ...(note === undefined ? {} : { note }),
    findings: [],
    truncated: false,
  };
}
