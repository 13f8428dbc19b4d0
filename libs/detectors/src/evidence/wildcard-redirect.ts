import { parseUrl } from '../formats/parse-url';
import { isControl, withoutQuery } from './control';
import type { Exchange, FailureReason } from './exchange';
import { gateAt } from './gate';
import { redirectsBeyond } from './site-move';

/** The end of a redirect chain that any path gets: an answer, or why it was not followed. */
export type WildcardEnd = FailureReason | 'answer';

/** Faults of a chain itself; every path gets the same. */
export function isChainFault(reason: FailureReason): boolean {
  return reason === 'redirect_refused' || reason === 'redirect_loop' || reason === 'cookie_gate';
}

/**
 * Recognizes redirects of both control requests (to the home page, a login, or back to the same path for a cookie),
 * which then apply to any path; `move` is the host's other name, which does not count. A chain that keeps the path may
 * lead to documents, so it only counts if it ends in a gate or nowhere. The returned function gives the end of a
 * redirect from `asked` to `target`, or undefined if it must be followed.
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
  // A chain that ends nowhere does so from either name.
  const redirects = end === 'answer' ? redirectsBeyond(move, control) : control.redirects;
  const chain = redirects.map(({ location }) => location);
  const gated = end !== 'answer' || chain.some((location) => gateAt(location, control.url, false));
  const shapes = chain.map((location) => shapeOf(control.url, location));
  return new Map(shapes.filter((shape) => gated || !shape.includes(PATH)).map((shape) => [shape, end]));
}

const PATH = '{path}';

/** A target without its query, which often repeats the path, and with a placeholder for the requested path. */
function shapeOf(asked: string, target: string): string {
  const path = parseUrl(asked)?.pathname ?? '';
  const shape = withoutQuery(target);
  return path.length > 1 ? shape.replace(path, () => PATH) : shape;
}
