/** The variables of the bucket that takes the bytes of evidence; each is checked by itself already. */
export interface BucketVariables {
  readonly EVIDENCE_S3_ENDPOINT?: string;
  readonly EVIDENCE_S3_BUCKET?: string;
  readonly EVIDENCE_S3_REGION: string;
  readonly EVIDENCE_S3_KEY_ID?: string;
  readonly EVIDENCE_S3_SECRET?: string;
}

const TOGETHER = ['EVIDENCE_S3_ENDPOINT', 'EVIDENCE_S3_BUCKET', 'EVIDENCE_S3_KEY_ID', 'EVIDENCE_S3_SECRET'] as const;
export const BUCKET_VARIABLES = [
  ...TOGETHER,
  'EVIDENCE_S3_REGION',
] as const satisfies readonly (keyof BucketVariables)[];

/** Null keeps evidence in Postgres. */
export function bucketOf(env: BucketVariables) {
  const { EVIDENCE_S3_ENDPOINT: endpoint, EVIDENCE_S3_BUCKET: bucket, EVIDENCE_S3_REGION: region } = env;
  const { EVIDENCE_S3_KEY_ID: keyId, EVIDENCE_S3_SECRET: secret } = env;
  if (endpoint === undefined || bucket === undefined || keyId === undefined || secret === undefined) return null;
  return { endpoint, bucket, region, keyId, secret };
}

export function bucketFaults(env: BucketVariables): readonly string[] {
  const set = TOGETHER.filter((name) => env[name] !== undefined);
  if (set.length === 0 || set.length === TOGETHER.length) return [];
  return [`${TOGETHER.slice(0, -1).join(', ')} and ${TOGETHER.at(-1)} belong together`];
}
