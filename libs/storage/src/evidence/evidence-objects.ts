import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { timeOf } from '../database/clock';
import type { Database, Transaction } from '../database/database';
import { BucketUnavailableError } from '../database/evidence-bucket';

/** An uploaded object that no row refers to after this time never will be, because its probe has ended by then. */
const UNNAMED_MS = 3_600_000;
/** Maximum number of objects waiting for removal; above it, nothing is added to the bucket. */
const ORPHANED_OBJECTS = 100_000;
/** How many objects one transaction removes: as many as the bucket's client has connections and waiting requests. */
const AT_ONCE = 100;

const NO_BYTES = Buffer.alloc(0);

/** Encrypted bytes in a row: either the bytes, or the object that has them with its size. */
interface SealedBytes {
  readonly bytes: Buffer;
  readonly object?: { readonly key: string; readonly size: number };
}

/**
 * A bundle as it is stored. It is completely encrypted, because hosts publish keys by mistake, in more forms than could
 * be detected.
 */
export interface SealedBundle {
  readonly root: string;
  readonly lineCount: number;
  readonly lines: SealedBytes;
  readonly bodies: readonly (SealedBytes & { readonly sha256: string; readonly leaks: boolean })[];
}

/** A row with its bytes, or with the key of its object in the bucket. */
interface StoredBytes {
  readonly bytes: Uint8Array;
  readonly object: string | null;
}

/**
 * Uploads a bundle to the bucket, if there is one: its lines, and the bodies that are not stored yet. Each object has a
 * new random key, so that none is ever overwritten. Until rows refer to them, the objects count as orphaned.
 * @returns the bundle with keys in place of these bytes
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

/** Takes the objects of a bundle's rows off the list of orphaned objects; unneeded ones are removed later. */
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
 * Adds the bytes to rows, from wherever they are stored. A row whose object is missing is left out, because it was
 * removed meanwhile.
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

/**
 * Removes objects whose rows were deleted, and those that no row ever referred to. Safe to repeat and to run
 * concurrently. @throws {BucketUnavailableError}
 */
export async function removeOrphanedObjects(database: Database): Promise<void> {
  const { bucket } = database;
  if (!bucket) return;
  const removeSome = (tx: Transaction): Promise<number> => removeOrphans(tx, (keys) => bucket.remove(keys));
  while ((await database.inTransaction(removeSome)) === AT_ONCE);
}

const OrphanedObjects = z.array(z.object({ object: z.string() }));

async function removeOrphans(tx: Transaction, remove: (keys: readonly string[]) => Promise<void>): Promise<number> {
  // Uses SQL to skip rows that another worker is removing.
  const rows = OrphanedObjects.parse(
    await tx.$queryRaw`
      SELECT object FROM orphaned_object WHERE due <= now() ORDER BY due LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`,
  );
  const keys = rows.map(({ object }) => object);
  await remove(keys);
  await tx.orphanedObject.deleteMany({ where: { object: { in: keys } } });
  return keys.length;
}
