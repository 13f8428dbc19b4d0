import { bundleText, includedLine, type FileBody } from '@app/evidence';
import type { EvidenceRepository, StoredBundle } from '@app/storage';
import type { HostName } from '@app/hosts';
import { readHash } from '@app/signing';
import { published, type Published } from '../http/published';
import { RequestError } from '../http/request-error';

/** The content of a root never changes, but bodies can be removed: copies elsewhere are at most a day old. */
const CACHED = 'public, max-age=86400';

/**
 * The evidence about hosts, as files. They contain text from strangers, so they are sent as downloads and never as
 * pages.
 */
export class EvidenceFiles {
  constructor(private readonly evidence: EvidenceRepository) {}

  /** @throws {RequestError} 404 `not_found` */
  async bundle(host: HostName, root: string): Promise<Published> {
    const hex = rootArgument(root);
    const text = textOf(await this.find(host, hex));
    const name = `${host.ascii}-${hex.slice(0, 16)}.hostprobe.jsonl`;
    return published('application/x-ndjson', text, {
      'cache-control': CACHED,
      'content-disposition': `attachment; filename="${name}"`,
    });
  }

  /**
   * One line with its inclusion proof, for example for "this 402 was seen then". @throws {RequestError} 404 `not_found`
   */
  async line(host: HostName, root: string, index: string): Promise<Published> {
    const hex = rootArgument(root);
    const { lines } = await this.find(host, hex);
    const included = /^\d{1,4}$/.test(index) ? includedLine(hex, lines, Number(index)) : undefined;
    if (!included) throw new RequestError('not_found', `The bundle has lines 0 to ${lines.length - 1}.`);
    return published('application/json', JSON.stringify(included), { 'cache-control': CACHED });
  }

  private async find({ ascii }: HostName, hex: string): Promise<StoredBundle> {
    const bundle = await this.evidence.find(ascii, hex);
    if (!bundle) throw unknownRoot();
    return bundle;
  }
}

/** The root in its stored notation, whatever the URL uses. @throws {RequestError} 404 `not_found` */
function rootArgument(root: string): string {
  const hash = readHash(root);
  if (!hash) throw unknownRoot();
  return hash.toString('hex');
}

function unknownRoot(): RequestError {
  return new RequestError('not_found', 'No evidence of this host under this root, or it was deleted.');
}

function textOf({ lines, names, bodies, withheld }: StoredBundle): string {
  const shown = names.flatMap((name): readonly (readonly [string, FileBody])[] => {
    if (withheld !== null) return [[name, { withheld }]];
    const body = bodies.get(name);
    if (!body) return [];
    return [[name, body.leaks ? { withheld: 'private_key' } : { bytes: body.bytes }]];
  });
  return bundleText(lines, new Map(shown));
}
