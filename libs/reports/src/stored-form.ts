import { gainOfFix, inFixOrder, isObject, list, text, type Fix, type JsonObject, type JsonValue } from '@app/detectors';
import { mergeRails } from './merge-rails';
import type { PaymentRail } from './payment-rails';

/** Makes facts of one form from those of the form before; pure, and total for whatever that form allowed. */
export type Upgrade = (facts: JsonObject) => JsonObject;

/** Form 2: fixes say what they change and are ordered by it. */
function withGains(facts: JsonObject): JsonObject {
  const fixes = (list(facts['fixes']) ?? [])
    .filter(isObject)
    .map((fix) => ({ ...fix, ...gainOfFix(text(fix['id']) ?? '') }));
  return { ...facts, fixes: inFixOrder(fixes as unknown as readonly Fix[]) as unknown as JsonValue };
}

/** Form 3: one rail for each way to pay. */
function withMergedRails(facts: JsonObject): JsonObject {
  const { paymentRails } = facts;
  if (!isObject(paymentRails)) return facts;
  const rails = (list(paymentRails['rails']) ?? []).filter(isObject).map(rangedRail);
  return { ...facts, paymentRails: { ...paymentRails, rails: mergeRails(rails) as unknown as JsonValue } };
}

/** Form 4: a rail says which clients pay it; earlier reports did not ask. */
function withClients(facts: JsonObject): JsonObject {
  const { paymentRails } = facts;
  if (!isObject(paymentRails)) return facts;
  const rails = (list(paymentRails['rails']) ?? []).filter(isObject).map((rail) => ({ clients: [], ...rail }));
  return { ...facts, paymentRails: { ...paymentRails, rails } };
}

/** A stored rail in the form of today; one of an older form is of one route and has one price. */
export function rangedRail(rail: JsonObject): PaymentRail {
  const ranged = {
    maxAmount: rail['amount'] ?? null,
    resources: 1,
    clients: [],
    ...(rail['scheme'] === 'upto' && { ceiling: true }),
  };
  return { ...ranged, ...rail } as unknown as PaymentRail;
}

/** The first makes form 2 of form 1, and so on. An upgrade that was released is never edited: add another one. */
const UPGRADES: readonly Upgrade[] = [withGains, withMergedRails, withClients];

/** The form of the facts that this release writes; the column `host.form` says which one a row has. */
export const FORM = UPGRADES.length + 1;

/**
 * Stored facts in the form of today; a text in that form, or in one of a newer release, is returned as it is.
 * @throws {SyntaxError} when the text is no JSON
 */
export function upgradeFacts(text: string, form: number, upgrades: readonly Upgrade[] = UPGRADES): string {
  if (form > upgrades.length) return text;
  const stored = JSON.parse(text) as JsonObject;
  return JSON.stringify(upgrades.slice(form - 1).reduce((facts, upgrade) => upgrade(facts), stored));
}
