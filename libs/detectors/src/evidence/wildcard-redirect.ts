import { parseUrl } from '../formats/parse-url';
import { isControl, withoutQuery } from './control';
import type { Exchange, FailureReason } from './exchange';
import { gateAt } from './gate';
import { redirectsBeyond } from './site-move';

/** What a chain of redirects that any path gets came to: an answer, or why it was not followed to its end. */
export type WildcardEnd = FailureReason | 'answer';

/** Faults of a chain itself: the next path gets the same. */
export function isChainFault(reason: FailureReason): boolean {
  return reason === 'redirect_refused' || reason === 'redirect_loop' || reason === 'cookie_gate';
}

/**
 * Where a host sends both control requests (home, a login, back to the same path for a cookie), which it does to any path
 * that it sends there; `move` is its other name, which is no such redirect. A chain that keeps the path may lead to
 * documents: it counts only when it ends in a gate or in nothing. The function tells the end that a redirect from
 * `asked` to `target` comes to, or undefined where it has to be followed.
 */
export function wildcardRedirects(
  exchanges: readonly Exchange[],
  move: string | undefined,
): (asked: string, target: string) => WildcardEnd | undefined {
  const [first, ...others] = exchanges.filter(isControl).map((control) => shapesOf(control, move));
  const ends = new Map([...(first ?? [])].filter(([shape, end]) => others.some((other) => other.get(shape) === end)));
  return (asked, target) => ends.get(shapeOf(asked, target));
}

function shapesOf(control: Exchange, move: string | undefined): ReadonlyMap<string, WildcardEnd> {
  if (control.kind === 'failure' && !isChainFault(control.reason)) return new Map();
  const end = control.kind === 'failure' ? control.reason : 'answer';
  // A chain that ends in nothing does so by whatever name it is begun.
  const redirects = end === 'answer' ? redirectsBeyond(move, control) : control.redirects;
  const chain = redirects.map(({ location }) => location);
  const gated = end !== 'answer' || chain.some((location) => gateAt(location, control.url, false));
  const shapes = chain.map((location) => shapeOf(control.url, location));
  return new Map(shapes.filter((shape) => gated || !shape.includes(PATH)).map((shape) => [shape, end]));
}

const PATH = '{path}';

/** A target without its query, which often repeats the path, and with a mark in place of the path asked for. */
function shapeOf(asked: string, target: string): string {
  const path = parseUrl(asked)?.pathname ?? '';
  const shape = withoutQuery(target);
  return path.length > 1 ? shape.replace(path, () => PATH) : shape;
}
