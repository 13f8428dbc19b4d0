import type { Tool } from '../tool';
import { endpointHealth } from './endpoint-health.tool';
import { findPayable } from './find-payable.tool';
import { listChanges } from './list-changes.tool';
import { lookupHost } from './lookup-host.tool';
import { participationCheck } from './participation-check.tool';
import { payPreflight } from './pay-preflight.tool';
import { payToCheck } from './payto-check.tool';
import { refreshHostProtocol } from './refresh-host-protocol.tool';
import { refreshHost } from './refresh-host.tool';
import { refreshHostsBatch } from './refresh-hosts-batch.tool';
import { verifyReceipt } from './verify-receipt.tool';

/** All tools, in the order of spec 4.6. A tool is a file and a line here; lists and documents follow. */
export const TOOLS: readonly Tool[] = [
  lookupHost,
  participationCheck,
  listChanges,
  findPayable,
  refreshHost,
  refreshHostProtocol,
  refreshHostsBatch,
  payPreflight,
  endpointHealth,
  payToCheck,
  verifyReceipt,
];
