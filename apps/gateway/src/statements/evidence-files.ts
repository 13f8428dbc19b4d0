import { bundleText, includedLine, type FileBody } from '@app/evidence';
import type { EvidenceRepository, StoredBundle } from '@app/storage';
import type { HostName } from '@app/hosts';
import { readHash } from '@app/signing';
import { published, type Published } from '../http/published';
import { RequestError } from '../http/request-error';

/** A root never means anything else, but bodies can be removed: a copy elsewhere is a day old at most. */
const CACHED = 'public, max-age=86400';

/** The evidence of hosts, as files. What strangers published is in them: they are downloads and never pages. */
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

  /** One line with the way to the root, such as "this 402 was seen then". @throws {RequestError} 404 `not_found` */
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

/** A root as it is stored, however the address writes it. @throws {RequestError} 404 `not_found` */
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
