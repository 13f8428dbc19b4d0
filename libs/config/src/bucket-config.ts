import type { Environment } from './environment';

const SET_TOGETHER = [
  'EVIDENCE_S3_ENDPOINT',
  'EVIDENCE_S3_BUCKET',
  'EVIDENCE_S3_KEY_ID',
  'EVIDENCE_S3_SECRET',
] as const;
/** The variables of the evidence bucket. */
export const BUCKET_VARIABLES = [...SET_TOGETHER, 'EVIDENCE_S3_REGION'] as const;

/** Null stores evidence in Postgres. */
export function bucketOf(env: Environment) {
  const { EVIDENCE_S3_ENDPOINT: endpoint, EVIDENCE_S3_BUCKET: bucket, EVIDENCE_S3_REGION: region } = env;
  const { EVIDENCE_S3_KEY_ID: keyId, EVIDENCE_S3_SECRET: secret } = env;
  if (endpoint === undefined || bucket === undefined || keyId === undefined || secret === undefined) return null;
  return { endpoint, bucket, region, keyId, secret };
}

export function bucketFaults(env: Environment): readonly string[] {
  const set = SET_TOGETHER.filter((name) => env[name] !== undefined);
  if (set.length === 0 || set.length === SET_TOGETHER.length) return [];
  return [`${SET_TOGETHER.slice(0, -1).join(', ')} and ${SET_TOGETHER.at(-1)} must be set together`];
}
