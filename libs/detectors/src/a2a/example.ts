import type { HostEvidence } from '../host-evidence';

/** The smallest card of A2A 1.0 that an agent can use, for the given host. */
export function exampleCard({ domain }: Pick<HostEvidence, 'domain'>): string {
  const card = {
    name: 'Example Shop Agent',
    description: 'Answers questions about products and orders.',
    version: '1.0.0',
    supportedInterfaces: [{ url: `https://${domain}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'product-search', name: 'Product search', description: 'Finds products.', tags: ['products'] }],
  };
  return JSON.stringify(card, null, 2);
}
