import type { HostEvidence } from '../host-evidence';

/** Newest release; fixes advise it, verdicts accept every release. */
export const CURRENT_RELEASE = '2026-08-25';

/** The smallest profile of the current release that an agent can use, for the given host. */
export function exampleProfile({ domain }: Pick<HostEvidence, 'domain'>): string {
  const version = CURRENT_RELEASE;
  const checkout = { version, schema: `https://ucp.dev/${version}/schemas/shopping/checkout.json` };
  const profile = {
    ucp: {
      version,
      services: {
        'dev.ucp.shopping': [{ version, transport: 'rest', endpoint: `https://${domain}/ucp/v1` }],
      },
      capabilities: { 'dev.ucp.shopping.checkout': [checkout] },
      payment_handlers: {},
    },
  };
  return JSON.stringify(profile, null, 2);
}
