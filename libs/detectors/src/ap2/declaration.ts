import type { JsonObject } from '../formats/json';
import type { CellStatus, Finding } from '../judgement/judgement';

/** One place where a host declares AP2, judged on its own. */
export interface Declaration {
  readonly status: Extract<CellStatus, 'present' | 'partial'>;
  readonly source: 'a2a' | 'ucp';
  /** What identifies AP2 there: the extension URI or the capability name. */
  readonly id: string;
  /** Version the declaration states. */
  readonly version: string | null;
  /** Why it is only `partial`. */
  readonly note?: string;
  readonly details: JsonObject;
  readonly findings: readonly Finding[];
}
