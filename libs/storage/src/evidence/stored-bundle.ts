import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';
import type { Bundle, StoredBody } from '@app/evidence';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database';
import { takeObjects, type SealedBundle } from './evidence-objects';
import type { Vault } from '../database/vault';

const inflate = promisify(gunzip);
const deflate = promisify(gzip);

/** Smaller data is compressed synchronously, because passing it to another thread costs more. */
const AT_ONCE = 4_096;

interface BodyRow {
  readonly sha256: string;
  readonly bytes: Uint8Array;
  readonly leaks: boolean;
}

/** Encrypts a bundle. Decrypting it requires its host and its hashes. */
export async function sealBundle({ secrets }: Database, domain: string, bundle: Bundle): Promise<SealedBundle> {
  const { root, lines } = bundle;
  const vault = await secrets.vault();
  const packed = await compressed(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  const bodies = [...bundle.bodies].map(async ([sha256, { bytes, leaks }]) => ({
    sha256,
    bytes: vault.seal('evidence', bodySubject(domain, sha256), await compressed(bytes)),
    leaks,
  }));
  return {
    root,
    lineCount: lines.length,
    lines: { bytes: vault.seal('evidence', linesSubject(domain, root), packed) },
    bodies: await Promise.all(bodies),
  };
}

/**
 * Writes a bundle within a transaction that holds the row of its host, so that concurrent deletions wait. Uses SQL,
 * because an existing body may need its `leaks` flag set, and because the statement returns which objects the rows
 * took.
 */
export async function writeBundle(tx: Transaction, domain: string, bundle: SealedBundle): Promise<void> {
  const { root, lines, bodies } = bundle;
  const names = bodies.map(({ sha256 }) => sha256);
  const named = Named.parse(
    await tx.$queryRaw`WITH body AS (
        INSERT INTO evidence_body (domain, sha256, bytes, leaks, object, size)
        SELECT ${domain}, * FROM unnest(${names}::text[], ${bodies.map(({ bytes }) => bytes)}::bytea[],
          ${bodies.map(({ leaks }) => leaks)}::boolean[], ${bodies.map(({ object }) => object?.key ?? null)}::text[],
          ${bodies.map(({ object }) => object?.size ?? null)}::int[])
        ON CONFLICT (domain, sha256) DO UPDATE SET leaks = true WHERE excluded.leaks AND NOT evidence_body.leaks
        RETURNING object),
      bundle AS (
        INSERT INTO evidence (root, domain, lines, bodies, at, object, size)
        VALUES (${root}, ${domain}, ${lines.bytes}, ${names}::text[], now(), ${lines.object?.key ?? null}, ${lines.object?.size ?? null}::int)
        ON CONFLICT DO NOTHING RETURNING object)
      SELECT object FROM body UNION ALL SELECT object FROM bundle`,
  );
  await takeObjects(tx, bundle, new Set(named.map(({ object }) => object)));
}

const Named = z.array(z.object({ object: z.string().nullable() }));

/** The lines of a stored bundle. @throws Error if they were encrypted for another host or root */
export async function openLines(
  vault: Vault,
  domain: string,
  root: string,
  sealed: Uint8Array,
): Promise<readonly string[]> {
  const lines = await inflate(opened(vault, linesSubject(domain, root), sealed));
  return lines.toString('utf8').split('\n').slice(0, -1);
}

/** The bodies of a host by hash. @throws Error if one was encrypted for another host or hash */
export async function openBodies(
  vault: Vault,
  domain: string,
  rows: readonly BodyRow[],
): Promise<ReadonlyMap<string, StoredBody>> {
  const bodies = new Map<string, StoredBody>();
  for (const { sha256, bytes, leaks } of rows) {
    bodies.set(sha256, { bytes: await inflate(opened(vault, bodySubject(domain, sha256), bytes)), leaks });
  }
  return bodies;
}

function opened(vault: Vault, subject: string, sealed: Uint8Array): Buffer {
  const bytes = vault.open('evidence', subject, sealed);
  if (!bytes) throw new Error(`cannot decrypt the evidence of ${subject}`);
  return bytes;
}

const linesSubject = (domain: string, root: string): string => `${domain} root ${root}`;
const bodySubject = (domain: string, sha256: string): string => `${domain} body ${sha256}`;

async function compressed(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= AT_ONCE ? gzipSync(bytes) : deflate(bytes);
}
