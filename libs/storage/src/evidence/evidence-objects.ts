import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { timeOf } from '../database/clock';
import type { Database, Transaction } from '../database/database';
import { BucketUnavailableError } from '../database/evidence-bucket';

/** Objects that are put but not named by a row after so long never will be: a probe is over by then. */
const UNNAMED_MS = 3_600_000;
/** Maximum number of objects waiting for removal; above it, nothing is added to the bucket. */
const ORPHANED_OBJECTS = 100_000;
/** Objects that one transaction removes: connections of the bucket's client, and as many requests that wait. */
const AT_ONCE = 100;

const NO_BYTES = Buffer.alloc(0);

/** Sealed bytes as a row has them: all of them, or none and the object that has them, with their number. */
interface SealedBytes {
  readonly bytes: Buffer;
  readonly object?: { readonly key: string; readonly size: number };
}

/** A bundle as it is stored. Hosts publish keys by mistake, in more forms than can be listed: all of it is closed. */
export interface SealedBundle {
  readonly root: string;
  readonly lineCount: number;
  readonly lines: SealedBytes;
  readonly bodies: readonly (SealedBytes & { readonly sha256: string; readonly leaks: boolean })[];
}

/** A row whose bytes are in it, or in the bucket under a key. */
interface StoredBytes {
  readonly bytes: Uint8Array;
  readonly object: string | null;
}

/**
 * Puts a bundle into the bucket, where there is one: its lines, and the bodies that are not known yet. Each object has a key of
 * its own that says nothing, so that none is ever written over. Until rows name them they count as strays.
 * @returns the bundle with keys instead of these bytes
 * @throws {BucketUnavailableError}
 */
export async function putBundle(database: Database, domain: string, sealed: SealedBundle): Promise<SealedBundle> {
  const { bucket, prisma } = database;
  if (!bucket) return sealed;
  const rows = await prisma.evidenceBody.findMany({
    where: { domain, sha256: { in: sealed.bodies.map(({ sha256 }) => sha256) } },
    select: { sha256: true },
  });
  const known = new Set(rows.map(({ sha256 }) => sha256));
  const objects = new Map<string, Buffer>();
  const moved = <T extends SealedBytes>(one: T): T => {
    const key = `evidence/${randomUUID()}`;
    objects.set(key, one.bytes);
    return { ...one, bytes: NO_BYTES, object: { key, size: one.bytes.length } };
  };
  // A known body keeps its bytes here: if its row is deleted in the meantime, they are stored in Postgres.
  const bodies = sealed.bodies.map((body) => (known.has(body.sha256) ? body : moved(body)));
  const put = { ...sealed, lines: moved(sealed.lines), bodies };
  const full = await prisma.orphanedObject.findFirst({ skip: ORPHANED_OBJECTS, select: { object: true } });
  if (full) throw new BucketUnavailableError(`${ORPHANED_OBJECTS} objects are waiting to be removed`);
  const due = new Date((await timeOf(prisma)).getTime() + UNNAMED_MS);
  await prisma.orphanedObject.createMany({ data: [...objects.keys()].map((object) => ({ object, due })) });
  await bucket.put(objects);
  return put;
}

/** Takes from the strays what the rows of a bundle name now; what they do not need is removed later. */
export async function takeObjects(
  tx: Transaction,
  { lines, bodies }: SealedBundle,
  named: ReadonlySet<string | null>,
): Promise<void> {
  const keys = [lines, ...bodies].flatMap(({ object }) => object?.key ?? []).filter((key) => named.has(key));
  if (keys.length === 0) return;
  const { count } = await tx.orphanedObject.deleteMany({ where: { object: { in: keys } } });
  if (count < keys.length) throw new BucketUnavailableError('objects were removed before a row referred to them');
}

/**
 * Rows with their bytes, wherever those are. A row whose object is gone is left out: it was removed meanwhile.
 * @throws {BucketUnavailableError}
 */
export async function withBytes<T extends StoredBytes>(
  { bucket }: Database,
  rows: readonly T[],
): Promise<readonly T[]> {
  const keys = rows.flatMap(({ object }) => object ?? []);
  if (keys.length === 0) return rows;
  if (!bucket) throw new BucketUnavailableError('evidence is stored in a bucket, but EVIDENCE_S3_BUCKET is not set');
  const found = await bucket.get(keys);
  return rows.flatMap((row) => {
    const bytes = row.object === null ? row.bytes : found.get(row.object);
    return bytes ? [{ ...row, bytes }] : [];
  });
}

/** Removes the objects whose rows went, and those that no row ever named. Safe to repeat and to share. @throws {BucketUnavailableError} */
export async function removeOrphanedObjects(database: Database): Promise<void> {
  const { bucket } = database;
  if (!bucket) return;
  const removeSome = (tx: Transaction): Promise<number> => removeOrphans(tx, (keys) => bucket.remove(keys));
  while ((await database.inTransaction(removeSome)) === AT_ONCE);
}

const OrphanedObjects = z.array(z.object({ object: z.string() }));

async function removeOrphans(tx: Transaction, remove: (keys: readonly string[]) => Promise<void>): Promise<number> {
  // SQL: what another worker removes is passed over.
  const rows = OrphanedObjects.parse(
    await tx.$queryRaw`
      SELECT object FROM orphaned_object WHERE due <= now() ORDER BY due LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`,
  );
  const keys = rows.map(({ object }) => object);
  await remove(keys);
  await tx.orphanedObject.deleteMany({ where: { object: { in: keys } } });
  return keys.length;
}
