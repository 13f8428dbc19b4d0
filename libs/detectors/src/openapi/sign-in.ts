import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { referred } from './reference';

/** The name and the mark of a sign-in with the caller's wallet, as directories of x402 read them (npm `@agentcash/discovery`). */
const SIGN_IN = 'siwx';

/** Names of the security schemes of a document that are such a sign-in: OpenAPI 3, or Swagger 2.0. */
export function signInSchemes(document: JsonValue): ReadonlySet<string> {
  const schemes = member(member(document, 'components'), 'securitySchemes') ?? member(document, 'securityDefinitions');
  const marked = Object.entries(isObject(schemes) ? schemes : {}).filter(
    ([, scheme]) => member(referred(scheme, document), 'x-agentcash-auth-kind') === SIGN_IN,
  );
  return new Set([SIGN_IN, ...marked.map(([name]) => name)]);
}

/** Whether an operation says that its caller signs in: the older mark on the operation, else the security in effect. */
export function wantsSignIn(operation: JsonObject, document: JsonValue, schemes: ReadonlySet<string>): boolean {
  const mode = text(member(member(operation, 'x-agentcash-auth'), 'mode'));
  if (mode !== undefined) return mode === SIGN_IN;
  const security = list(member(operation, 'security') ?? member(document, 'security')) ?? [];
  return security.some(
    (requirement) => isObject(requirement) && Object.keys(requirement).some((name) => schemes.has(name)),
  );
}
