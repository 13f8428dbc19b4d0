import type { JsonObject } from '../formats/json';
import type { CellStatus, Finding } from '../judgement/judgement';

/** A declaration of AP2 in one place, evaluated on its own. */
export interface Declaration {
  readonly status: Extract<CellStatus, 'present' | 'partial'>;
  readonly source: 'a2a' | 'ucp';
  /** The extension URI or the capability name. */
  readonly id: string;
  /** The stated version. */
  readonly version: string | null;
  /** Why it is only `partial`. */
  readonly note?: string;
  readonly details: JsonObject;
  readonly findings: readonly Finding[];
}
