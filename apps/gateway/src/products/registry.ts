import { batchRefresh } from './batch-refresh';
import type { Product } from './define-product';
import { endpointHealth } from './endpoint-health';
import { findPayable } from '../reports/find-payable';
import type { FreeTool } from '../reports/free-tool';
import { hostRefresh } from './host-refresh';
import { listChanges } from '../reports/list-changes';
import { lookupHost } from '../reports/lookup-host';
import { participationCheck } from '../reports/participation-check';
import { payPreflight } from './pay-preflight';
import { payToCheck } from './payto-check';
import { protocolRefresh } from './protocol-refresh';
import { receiptVerify } from './receipt-verify';
import { subscription } from './subscription';
import { watch } from './watch';

/**
 * All products, in the order of behaviour 7.1. Routes, tools, documents and price lists are derived from this list.
 */
export const PRODUCTS: readonly Product[] = [
  hostRefresh,
  protocolRefresh,
  batchRefresh,
  payPreflight,
  endpointHealth,
  payToCheck,
  receiptVerify,
  subscription,
  watch,
];

/** The free tools, in the order of behaviour 11.2. */
export const FREE_TOOLS: readonly FreeTool[] = [lookupHost, participationCheck, listChanges, findPayable];
