import { urlFaults } from '../documents/declared-url';
import { x402ManifestReadings } from '../documents/x402-manifests';
import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import { saidJson } from '../evidence/reading';
import type { JsonObject } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { distinctFindings, type Finding } from '../judgement/judgement';
import { readPaymentInfo } from '../openapi/payment-info';
import { pricedOperations } from '../openapi/priced-operations';
import { readDescriptions } from '../openapi/published-descriptions';
import type { X402Annotation } from '../openapi/x402-annotation';
import { readX402Manifest } from './x402-manifest';

export type PaidProtocol = 'x402' | 'mpp';

/** What a document of the host says about one paid route of its own site. */
export interface Advertisement {
  /** Absolute, and over https at the site of the host; may hold a template (`{id}`, `:id`). */
  readonly url: string;
  /** What is wrong with the address as the document writes it; `local_url` and `placeholder_url` cannot be called. */
  readonly fault: AddressFault | undefined;
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

/** The longest beginning of an address that may name a host. */
const MAX_ORIGIN = 300;

export type AddressFault = 'endpoint_not_https' | 'local_url' | 'placeholder_url';

/**
 * Every paid route of the host's site that its documents advertise: operations of all API descriptions that were read,
 * in JSON or YAML, and what x402 manifests list. In document order, descriptions first, since they state methods. A route at an
 * address of a developer's machine is the host's, too: it is only written wrongly.
 */
export const advertisements: (seen: HostEvidence) => readonly Advertisement[] = onceEach((seen: HostEvidence) =>
  [...inDescriptions(seen), ...inManifests(seen)].filter(({ url, fault }) => seen.sameSite(url) || isUncallable(fault)),
);

/** Whether a client outside can call nothing at an address. */
export function isUncallable(fault: AddressFault | undefined): boolean {
  return fault === 'local_url' || fault === 'placeholder_url';
}

/**
 * Where a route that a document names is called. An address of the site that is written with http, as generators behind a
 * proxy do, is called over https; the host's own with any port, since that is one of the machine behind the proxy.
 */
export function routeAddress(stated: string, seen: HostEvidence, base?: string): Pick<Advertisement, 'url' | 'fault'> {
  const url = seen.resolve(stated, base) ?? stated;
  const { origin, protocol, hostname, port, username, pathname, search } = parseUrl(url) ?? {};
  const faults = urlFaults(origin ?? url.slice(0, MAX_ORIGIN));
  if (faults.includes('placeholder')) return { url, fault: 'placeholder_url' };
  if (faults.includes('localhost')) return { url, fault: 'local_url' };
  const isOwn = hostname === seen.domain;
  const asked = protocol === 'http:' && seen.sameSite(url) && (port === '' || isOwn) && username === '';
  if (!asked) return { url, fault: undefined };
  // A relative address has the scheme of the document, and no fault of its own.
  const fault = /^http:/i.test(stated) ? 'endpoint_not_https' : undefined;
  return { url: `https://${hostname ?? ''}${pathname ?? ''}${search ?? ''}`, fault };
}

/** Faults of the addresses under which the paid routes of a protocol are advertised, by document. */
export function addressFindings(seen: HostEvidence, protocol: PaidProtocol): readonly Finding[] {
  return distinctFindings(
    advertisements(seen)
      .filter(({ protocols }) => protocols.includes(protocol))
      .flatMap(({ fault, source }) => (fault === undefined ? [] : [{ id: fault, at: source.finalUrl }])),
  );
}

function inDescriptions(seen: HostEvidence): readonly Advertisement[] {
  return readDescriptions(seen).flatMap(({ answer, value }) => {
    // The operations of a path share its address, which may be long.
    const addresses = new Map<string, Pick<Advertisement, 'url' | 'fault'>>();
    const addressOf = (url: string): Pick<Advertisement, 'url' | 'fault'> => {
      const address = addresses.get(url) ?? routeAddress(url, seen, answer.finalUrl);
      addresses.set(url, address);
      return address;
    };
    return pricedOperations(value).map(({ url, method, paymentInfo, annotation }) => ({
      ...addressOf(url),
      method,
      ...termsOf(paymentInfo, annotation),
      source: answer,
    }));
  });
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
  return x402ManifestReadings(seen).flatMap((reading) => {
    const said = saidJson(reading);
    if (!said) return [];
    return readX402Manifest(said.value).routes.map(({ url, method, protocol, price }) => ({
      ...routeAddress(url, seen),
      method,
      protocols: [protocol],
      price,
      offers: [],
      certain: true,
      source: said.answer,
    }));
  });
}
