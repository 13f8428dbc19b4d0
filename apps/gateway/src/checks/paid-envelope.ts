import type { Sku } from '@app/payments';
import type { Work } from '../paywall/paywall.service';

/** Spec 2.8: how every utility check answers. */
export function envelope(sku: Sku, data: object, charge = true): Work {
  return { body: JSON.stringify({ sku, data }), charge };
}
