import { foreignUrlFault } from '../documents/declared-url';
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

/** The data of one paid route of the host's site in one of its documents. */
export interface Advertisement {
  /** Absolute, https, on the host's site; may contain a template (`{id}`, `:id`). */
  readonly url: string;
  /** The fault of the URL as written in the document. */
  readonly fault: AddressFault | undefined;
  /** The document names another port. It is not requested, and port 443 may serve something else. */
  readonly onOtherPort: boolean;
  /** In upper case; null if missing. */
  readonly method: string | null;
  /** Both protocols for a route that documents a 402 without terms. */
  readonly protocols: readonly PaidProtocol[];
  /** As written, in any unit; only for comparison with other prices of the same document. */
  readonly price: string | null;
  /** MPP offers in an API description. */
  readonly offers: readonly JsonObject[];
  /** Whether it says more than that a 402 is possible. */
  readonly certain: boolean;
  /** The document that contains it. */
  readonly source: Answer;
}

/** The longest prefix of a URL that may contain its host. */
const MAX_ORIGIN = 300;

type AddressFault = Exclude<ReturnType<typeof foreignUrlFault>, undefined> | OwnFault;
type OwnFault = 'endpoint_not_https' | 'endpoint_port' | 'endpoint_userinfo';

/** The URL for calling a route, and the faults of its stated URL. */
type RouteAddress = Pick<Advertisement, 'url' | 'fault' | 'onOtherPort'>;

/**
 * Every paid route of the host's site that its documents advertise: operations of all readable API descriptions, in
 * JSON or YAML, and the entries of x402 manifests. Sorted in document order, descriptions first, because they have
 * methods. A route at a development address, a tunnel or an example address is also the host's; only its URL is wrong.
 */
export const advertisements: (seen: HostEvidence) => readonly Advertisement[] = onceEach((seen: HostEvidence) =>
  [...inDescriptions(seen), ...inManifests(seen)].filter(({ url, fault }) => fault !== undefined || seen.sameSite(url)),
);

/**
 * Where to call a route from a document. URLs of the site with http or a port, which generators behind a proxy write,
 * are called over https on port 443, and without a user name.
 */
export function routeAddress(stated: string, seen: HostEvidence, base?: string): RouteAddress {
  const url = seen.resolve(stated, base) ?? stated;
  const parsed = parseUrl(url);
  if (!parsed || !seen.sameSite(url))
    return { url, fault: foreignUrlFault(parsed?.origin ?? url.slice(0, MAX_ORIGIN)), onOtherPort: false };
  const { hostname, port, username, password, pathname, search } = parsed;
  const onOtherPort = port !== '' && port !== '443';
  const faults: readonly (readonly [OwnFault, boolean])[] = [
    // A relative URL has the scheme of the document, so it has no fault itself.
    ['endpoint_not_https', /^http:/i.test(stated)],
    ['endpoint_port', onOtherPort],
    ['endpoint_userinfo', username + password !== ''],
  ];
  const fault = faults.find(([, holds]) => holds)?.[0];
  return { url: `https://${hostname}${pathname}${search}`, fault, onOtherPort };
}

/** Faults in the URLs of a protocol's paid routes, by document. */
export function addressFindings(seen: HostEvidence, protocol: PaidProtocol): readonly Finding[] {
  return distinctFindings(
    advertisements(seen)
      .filter(({ protocols }) => protocols.includes(protocol))
      .flatMap(({ fault, source }) => (fault === undefined ? [] : [{ id: fault, at: source.finalUrl }])),
  );
}

function inDescriptions(seen: HostEvidence): readonly Advertisement[] {
  return readDescriptions(seen).flatMap(({ answer, value }) => {
    // The operations of a path share its URL, which may be long.
    const addresses = new Map<string, RouteAddress>();
    const addressOf = (url: string): RouteAddress => {
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

/** Combines both forms; a documented 402 without terms may be either protocol. */
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
