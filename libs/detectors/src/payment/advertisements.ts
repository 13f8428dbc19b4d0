import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import { saidJson } from '../evidence/reading';
import type { JsonObject } from '../formats/json';
import { readPaymentInfo } from '../openapi/payment-info';
import { pricedOperations } from '../openapi/priced-operations';
import { readDescriptions } from '../openapi/published-descriptions';
import type { X402Annotation } from '../openapi/x402-annotation';
import { readX402Manifest } from './x402-manifest';

export type PaidProtocol = 'x402' | 'mpp';

export const X402_MANIFEST_PATHS = ['/.well-known/x402', '/.well-known/x402.json'] as const;

/** What a document of the host says about one paid route of its own site. */
export interface Advertisement {
  /** Absolute; may hold a template (`{id}`, `:id`). */
  readonly url: string;
  /** Upper case; null when the document states none. */
  readonly method: string | null;
  /** Both for a route that documents an answer of 402 and no terms. */
  readonly protocols: readonly PaidProtocol[];
  /** As stated, in whatever unit: for comparison with other prices of the same document only. */
  readonly price: string | null;
  /** Offers of MPP that an API description states. */
  readonly offers: readonly JsonObject[];
  /** Whether it says more than that 402 is possible. */
  readonly certain: boolean;
  /** The document that says it. */
  readonly source: Answer;
}

/**
 * Every paid route of the host's site that its documents advertise: operations of all API descriptions that were read,
 * in JSON or YAML, and what x402 manifests list. In document order, descriptions first, since they state methods.
 */
export const advertisements: (seen: HostEvidence) => readonly Advertisement[] = onceEach((seen: HostEvidence) =>
  [...inDescriptions(seen), ...inManifests(seen)].filter(({ url }) => seen.sameSite(url)),
);

function inDescriptions(seen: HostEvidence): readonly Advertisement[] {
  return readDescriptions(seen).flatMap(({ answer, value }) =>
    pricedOperations(value).map(({ url, method, paymentInfo, annotation }) => ({
      url: seen.resolve(url, answer.finalUrl) ?? url,
      method,
      ...termsOf(paymentInfo, annotation),
      source: answer,
    })),
  );
}

/** What is said in both spellings is joined; nothing but a documented 402 leaves both protocols open. */
function termsOf(
  stated: JsonObject | null,
  annotation: X402Annotation | undefined,
): Pick<Advertisement, 'protocols' | 'price' | 'offers' | 'certain'> {
  const info = stated && readPaymentInfo(stated);
  if (!info && !annotation) return { protocols: ['x402', 'mpp'], price: null, offers: [], certain: false };
  const protocols = [...(info?.protocols ?? []), ...(annotation?.paid ? (['x402'] as const) : [])];
  return {
    protocols: [...new Set(protocols)],
    price: info?.price ?? annotation?.price ?? null,
    offers: info?.offers ?? [],
    certain: true,
  };
}

function inManifests(seen: HostEvidence): readonly Advertisement[] {
  return X402_MANIFEST_PATHS.flatMap((path) => {
    const said = saidJson(seen.read(path));
    if (!said) return [];
    return readX402Manifest(said.value).routes.map(({ url, method, protocol, price }) => ({
      url: seen.resolve(url) ?? url,
      method,
      protocols: [protocol],
      price,
      offers: [],
      certain: true,
      source: said.answer,
    }));
  });
}
