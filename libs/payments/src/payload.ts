import { createHash } from 'node:crypto';
import { defined } from '@app/platform';
import { isValidPaymentId, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { z } from 'zod';

/** The longest accepted payment header, in characters. A payment that repeats all our extensions has about 6,000. */
export const MAX_HEADER_CHARS = 16_384;

const hex = (digits: number) =>
  z
    .string()
    .length(2 + digits)
    .regex(/^0x[0-9a-fA-F]+$/);
/** Removes leading zeros: the number is signed, and a payment must have only one notation. */
const canonical = (text: string): string => BigInt(text).toString();
const decimal = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(canonical);
const seconds = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(canonical);

/** An EIP-3009 authorization with its signature, which may have any length for smart wallets (EIP-1271). */
const exactPayload = z.object({
  signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){1,4096}$/),
  authorization: z.object({
    from: hex(40),
    to: hex(40),
    value: decimal,
    validAfter: seconds,
    validBefore: seconds,
    nonce: hex(64),
  }),
});

const v2 = z.object({
  x402Version: z.literal(2),
  payload: exactPayload,
  resource: z.looseObject({ url: z.string().max(4_096) }).optional(),
  accepted: z.looseObject({
    scheme: z.string(),
    network: z.string(),
    amount: z.string(),
    asset: z.string(),
    payTo: z.string(),
    maxTimeoutSeconds: z.number().optional(),
  }),
  extensions: z.record(z.string(), z.unknown()).optional(),
});

const v1 = z.object({ x402Version: z.literal(1), scheme: z.string(), network: z.string(), payload: exactPayload });

/** The other transfer method of the scheme, recognized only for a better error message. */
const permit2 = z.object({ payload: z.object({ permit2Authorization: z.unknown().refine((it) => it !== undefined) }) });

/** https://github.com/x402-foundation/x402, specs/extensions/payment_identifier.md */
const identifierEcho = z.object({ info: z.object({ id: z.unknown().refine((id) => id !== undefined) }) });

export type Authorization = z.infer<typeof exactPayload>['authorization'];

/** A payment as presented; only its shape is checked. */
export interface ReadPayload {
  /** The client's x402 version. It only affects the headers of the answer. */
  readonly version: 1 | 2;
  readonly scheme: string;
  readonly network: string;
  readonly authorization: Authorization;
  readonly signature: string;
  /** The terms that the client says it accepted; version 1 has no field for them. */
  readonly accepted?: z.infer<typeof v2>['accepted'];
  /** The resource that the client says it pays for. */
  readonly resource?: string;
  /** Hex SHA-256 of signature and authorization: the same nonce with another signature is another payment. */
  readonly digest: string;
  /** The payer's name for the purchase, from the `payment-identifier` extension. */
  readonly identifier?: string;
}

export type PayloadReading =
  | { readonly ok: true; readonly payload: ReadPayload }
  | { readonly ok: false; readonly code: PayloadFault; readonly error: string };
export type PayloadFault =
  | 'payment_header_too_large'
  | 'payment_malformed'
  | 'payment_invalid'
  | 'payment_identifier_invalid'
  | 'transfer_method_unsupported';

const fault = (code: PayloadFault, error: string): PayloadReading => ({ ok: false, code, error });
/** An unreadable payment gets 400; every other fault gets the terms. */
const malformed = (error: string): PayloadReading => fault('payment_malformed', error);

/** The header of each version of x402. */
const HEADER = { 1: 'X-PAYMENT', 2: 'PAYMENT-SIGNATURE' } as const;

/**
 * Reads a payment header: `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1). The official SDK does not check
 * shapes and throws on malformed payments, so all payments are checked here first.
 * @param version the version of the header; a payment of the other version is `payment_malformed`
 */
export function readPaymentHeader(header: string, version: 1 | 2): PayloadReading {
  if (header.length > MAX_HEADER_CHARS) {
    return fault('payment_header_too_large', `the payment header is longer than ${MAX_HEADER_CHARS} characters`);
  }
  const decoded = decodeBase64Json(header);
  if (decoded === undefined) return malformed('the payment header is not base64-encoded JSON');
  const reading = readPayment(decoded);
  if (!reading.ok || reading.payload.version === version) return reading;
  const sent = reading.payload.version;
  return malformed(`send a version ${sent} payment in ${HEADER[sent]}, not in ${HEADER[version]}`);
}

/** Reads a decoded payment object of either version. */
export function readPayment(decoded: unknown): PayloadReading {
  const second = v2.safeParse(decoded);
  if (second.success) return readSecond(second.data);
  const first = v1.safeParse(decoded);
  if (first.success) {
    const { scheme, network, payload } = first.data;
    return { ok: true, payload: { version: 1, scheme, network, ...payload, digest: digestOf(payload) } };
  }
  if (permit2.safeParse(decoded).success) {
    const error = 'Permit2 payments are not accepted; sign an EIP-3009 authorization (the default of the scheme exact)';
    return fault('transfer_method_unsupported', error);
  }
  const path = second.error.issues[0]?.path.join('.') ?? '';
  const error = `the payment is not a valid x402 exact payment on EVM${path ? ` (at ${path})` : ''}`;
  return fault('payment_invalid', error);
}

/** The longest accepted `Idempotency-Key`, as in other services. */
const MAX_KEY_CHARS = 255;

/**
 * Uses an `Idempotency-Key` header as the payment identifier, unless the payment has the `payment-identifier` extension
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/; quotes are part of its syntax).
 */
export function withIdempotencyKey(
  reading: PayloadReading,
  header: string | readonly string[] | undefined,
): PayloadReading {
  if (header === undefined || !reading.ok || reading.payload.identifier !== undefined) return reading;
  const key = typeof header === 'string' ? header.trim().replace(/^"(.*)"$/, '$1') : '';
  if (key === '' || key.length > MAX_KEY_CHARS) {
    return fault('payment_identifier_invalid', `Idempotency-Key must be one value of 1 to ${MAX_KEY_CHARS} characters`);
  }
  return { ok: true, payload: { ...reading.payload, identifier: key } };
}

function readSecond({ payload, accepted, resource, extensions }: z.infer<typeof v2>): PayloadReading {
  const identifier = readIdentifier(extensions?.[PAYMENT_IDENTIFIER]);
  if (identifier === null) {
    const error = 'the payment identifier must be 16 to 128 characters of A-Z, a-z, 0-9, _ and -';
    return fault('payment_identifier_invalid', error);
  }
  return {
    ok: true,
    payload: {
      version: 2,
      scheme: accepted.scheme,
      network: accepted.network,
      ...payload,
      accepted,
      digest: digestOf(payload),
      ...defined({ resource: resource?.url, identifier }),
    },
  };
}

/** The id in the payment's extension: undefined if there is none (it is optional), null if it is invalid. */
function readIdentifier(extension: unknown): string | undefined | null {
  const echo = identifierEcho.safeParse(extension);
  if (!echo.success) return undefined;
  const { id } = echo.data.info;
  return typeof id === 'string' && isValidPaymentId(id) ? id : null;
}

function decodeBase64Json(header: string): unknown {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(header.trim())) return undefined;
  try {
    return JSON.parse(Buffer.from(header.trim(), 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}

function digestOf(payload: z.infer<typeof exactPayload>): string {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const canonical = [from, to, value, validAfter, validBefore, nonce, payload.signature].join(' ').toLowerCase();
  return createHash('sha256').update(canonical).digest('hex');
}
