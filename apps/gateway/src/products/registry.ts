import { batchRefresh } from './batch-refresh';
import type { Product } from './define-product';
import { endpointHealth } from './endpoint-health';
import { findPayable } from './find-payable';
import type { FreeTool } from './free-tool';
import { hostRefresh } from './host-refresh';
import { listChanges } from './list-changes';
import { lookupHost } from './lookup-host';
import { participationCheck } from './participation-check';
import { payPreflight } from './pay-preflight';
import { payToCheck } from './payto-check';
import { protocolRefresh } from './protocol-refresh';
import { receiptVerify } from './receipt-verify';
import { subscription } from './subscription';
import { watch } from './watch';

/** Everything that is sold, in the order of behaviour 7.1. Routes, tools, documents and price lists are read from here. */
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

/** What is free as a tool, in the order of behaviour 11.2; the routes of the same are in report.controller.ts. */
export const FREE_TOOLS: readonly FreeTool[] = [lookupHost, participationCheck, listChanges, findPayable];
