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

/** What a document of the host says about one paid route of its own site. */
export interface Advertisement {
  /** Absolute, and over https at the site of the host; may hold a template (`{id}`, `:id`). */
  readonly url: string;
  /** What is wrong with the address as the document writes it. */
  readonly fault: AddressFault | undefined;
  /** The document names another port. It is not requested, and port 443 may serve something else. */
  readonly onOtherPort: boolean;
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

type AddressFault = Exclude<ReturnType<typeof foreignUrlFault>, undefined> | OwnFault;
type OwnFault = 'endpoint_not_https' | 'endpoint_port' | 'endpoint_userinfo';

/** The URL at which a route is called, and the faults of its stated address. */
type RouteAddress = Pick<Advertisement, 'url' | 'fault' | 'onOtherPort'>;

/**
 * Every paid route of the host's site that its documents advertise: operations of all API descriptions that were read,
 * in JSON or YAML, and what x402 manifests list. In document order, descriptions first, since they state methods. A route at an
 * address of a developer's machine, a tunnel or an example is the host's, too: it is only written wrongly.
 */
export const advertisements: (seen: HostEvidence) => readonly Advertisement[] = onceEach((seen: HostEvidence) =>
  [...inDescriptions(seen), ...inManifests(seen)].filter(({ url, fault }) => fault !== undefined || seen.sameSite(url)),
);

/**
 * Where a route that a document names is called. An address of the site that is written with http or with a port, as
 * generators behind a proxy do, is called over https on 443, and without the user name that one may hold.
 */
export function routeAddress(stated: string, seen: HostEvidence, base?: string): RouteAddress {
  const url = seen.resolve(stated, base) ?? stated;
  const parsed = parseUrl(url);
  if (!parsed || !seen.sameSite(url))
    return { url, fault: foreignUrlFault(parsed?.origin ?? url.slice(0, MAX_ORIGIN)), onOtherPort: false };
  const { hostname, port, username, password, pathname, search } = parsed;
  const onOtherPort = port !== '' && port !== '443';
  const faults: readonly (readonly [OwnFault, boolean])[] = [
    // A relative address takes the scheme of the document, so it has no fault itself.
    ['endpoint_not_https', /^http:/i.test(stated)],
    ['endpoint_port', onOtherPort],
    ['endpoint_userinfo', username + password !== ''],
  ];
  const fault = faults.find(([, holds]) => holds)?.[0];
  return { url: `https://${hostname}${pathname}${search}`, fault, onOtherPort };
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
