import { parseUrl } from '../formats/parse-url';
import type { Exchange } from './exchange';
import { onceEach } from './once-each';

/**
 * The control pair: two paths that cannot exist; `nonce` is 32 random hex digits per run. The answers show what the
 * host says to any path. Without them, an application that answers 200 to everything would "publish" every protocol.
 */
export function controlPaths(nonce: string): readonly [json: string, text: string] {
  return [`/.well-known/${nonce}.json`, `/${nonce}.txt`];
}

const CONTROL_PATH = /\/(?:\.well-known\/)?[0-9a-f]{32}\.(?:json|txt)$/;

/** Whether an exchange is one of the control pair, by its path. */
export const isControl = onceEach((exchange: Exchange): boolean => CONTROL_PATH.test(pathOf(exchange.url)));

/** Whether a URL is below `/.well-known/`. */
export function isWellKnown(url: string): boolean {
  return pathOf(url).startsWith('/.well-known/');
}

export function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? url;
}

function pathOf(url: string): string {
  return parseUrl(url)?.pathname ?? url;
}
