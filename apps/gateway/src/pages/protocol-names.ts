import type { DetectorId } from '@app/detectors';

/** How people call what the ids stand for. */
const NAMES: Readonly<Record<DetectorId, readonly [short: string, long: string]>> = {
  ucp: ['UCP', 'Universal Commerce Protocol'],
  acp: ['ACP', 'Agentic Commerce Protocol'],
  ap2: ['AP2', 'Agent Payments Protocol'],
  tap: ['TAP', 'Trusted Agent Protocol'],
  mcp: ['MCP', 'Model Context Protocol'],
  a2a: ['A2A', 'Agent2Agent'],
  x402: ['x402', 'HTTP 402 payments'],
  mpp: ['MPP', 'Machine Payments Protocol'],
  llms: ['llms.txt', 'map for language models'],
  'ai-plugin': ['AI plugin', 'plugin manifest'],
  openapi: ['OpenAPI', 'API description'],
};

/** Short name of a protocol; an id no longer known stands for itself. */
export function shortName(id: string): string {
  return Object.hasOwn(NAMES, id) ? NAMES[id as DetectorId][0] : id;
}

export function longName(id: string): string {
  return Object.hasOwn(NAMES, id) ? NAMES[id as DetectorId][1] : '';
}
