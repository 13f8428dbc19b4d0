import { defined } from '@app/platform';
import { readCard } from '../a2a/card';
import { urlFaults } from '../documents/declared-url';
import { isObject, jsonPath, list, member, text, type JsonArray, type JsonValue } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { findingsWhere } from '../judgement/judgement';
import type { Declaration } from './declaration';

/** Roles of the A2A extension v0.1. */
const ROLES = ['merchant', 'shopper', 'credentials-provider', 'payment-processor'] as const;

/** Roles that receive payments; a shopper or a credentials provider cannot be paid. */
const PAYEES: readonly string[] = ['merchant', 'payment-processor'];

/** How many extensions of one card are read. */
const MAX_EXTENSIONS = 200;

type Uri = { readonly kind: 'v0.1' | 'v1' | 'variant'; readonly uri: string };

interface Extension {
  readonly uri: Uri;
  readonly value: JsonValue;
  readonly at: string;
  /** Whether it is where the specification requires it, in the array `capabilities.extensions`. */
  readonly placed: boolean;
}

/**
 * The AP2 extensions of an agent card. There are two known URIs: `…/ap2/tree/v0.1`, which requires roles, and
 * `…/ap2/v1` of the official samples, which has none (https://github.com/google-agentic-commerce/AP2). Accepting x402
 * is not AP2.
 */
export function declarationsOfCard(document: JsonValue): readonly Declaration[] {
  const local = (readCard(document)?.interfaces ?? []).some(({ url }) => urlFaults(url).includes('localhost'));
  return extensionsOf(document).map((extension) => judgeExtension(extension, local));
}

function extensionsOf(document: JsonValue): readonly Extension[] {
  const declared = member(member(document, 'capabilities'), 'extensions');
  const misplaced = member(document, 'extensions');
  return [
    ...fromList(list(declared), 'capabilities.extensions', true),
    ...fromMap(declared, 'capabilities.extensions'),
    ...fromList(list(misplaced), 'extensions', false),
    ...fromMap(misplaced, 'extensions'),
  ];
}

function fromList(items: JsonArray | undefined, at: string, placed: boolean): readonly Extension[] {
  return (items ?? []).slice(0, MAX_EXTENSIONS).flatMap((value, i) => {
    const uri = ap2Uri(text(member(value, 'uri')) ?? text(value));
    return uri ? [{ uri, value, at: jsonPath(at, i), placed: placed && isObject(value) }] : [];
  });
}

/** Some cards use an object with URIs as keys, which no client reads. */
function fromMap(value: JsonValue | undefined, at: string): readonly Extension[] {
  if (!isObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_EXTENSIONS)
    .flatMap(([name, item]) => {
      const uri = ap2Uri(name);
      return uri ? [{ uri, value: item ?? null, at: jsonPath(at, name), placed: false }] : [];
    });
}

function ap2Uri(value: string | undefined): Uri | undefined {
  const uri = value?.trim();
  if (uri === undefined || uri.length > 2_048) return undefined;
  if (/^https:\/\/github\.com\/google-agentic-commerce\/ap2\/tree\/v0\.1\/?$/i.test(uri)) return { kind: 'v0.1', uri };
  if (/^https:\/\/github\.com\/google-agentic-commerce\/ap2\/v1\/?$/i.test(uri)) return { kind: 'v1', uri };
  const host = parseUrl(uri)?.hostname ?? '';
  const variant = /google-agentic-commerce\/ap2(?![\w-])/i.test(uri) || /(?:^|\.)ap2-protocol\.org$/.test(host);
  return variant ? { kind: 'variant', uri } : undefined;
}

function judgeExtension(extension: Extension, local: boolean): Declaration {
  const { uri, value, at, placed } = extension;
  const stated = member(member(value, 'params'), 'roles');
  const roles = (list(stated) ?? []).map((role) => text(role)).filter((role) => role !== undefined);
  const note = extensionFault(extension, roles, local);
  const required = member(value, 'required') === true;
  return {
    status: note === undefined ? 'present' : 'partial',
    source: 'a2a',
    id: uri.uri,
    version: versionOf(uri.uri),
    ...defined({ note }),
    details: { uri: uri.uri, roles, required, canBePaid: canBePaid(roles) },
    findings: findingsWhere([
      [uri.kind === 'variant', 'unknown_uri_variant', at],
      [stated !== undefined && !list(stated), 'member_invalid', `${at}.params.roles`],
      [!['undefined', 'boolean'].includes(typeof member(value, 'required')), 'member_invalid', `${at}.required`],
      [placed && roles.includes('merchant') && !required, 'merchant_not_required', at],
    ]),
  };
}

/** Null if the roles are missing or unknown, because then it is undecidable. */
function canBePaid(roles: readonly string[]): boolean | null {
  if (roles.some((role) => PAYEES.includes(role))) return true;
  return roles.some((role) => ROLES.some((known) => known === role)) ? false : null;
}

function extensionFault({ uri, placed }: Extension, roles: readonly string[], local: boolean): string | undefined {
  if (!placed) return 'extensions_misplaced';
  if (uri.kind === 'v0.1' && roles.length === 0) return 'roles_missing';
  if (uri.kind === 'v0.1' && roles.some((role) => !ROLES.some((known) => known === role))) return 'unknown_role';
  return local ? 'localhost_interface' : undefined;
}

/** The last path segment that looks like a version, such as `v0.1`. */
function versionOf(uri: string): string | null {
  return /\/(v\d{1,3}(?:\.\d{1,3}){0,2})\/?$/i.exec(uri)?.[1] ?? null;
}
