import { DETECTOR_IDS } from '@app/detectors';
import { PROBER_PATH } from '@app/signing';
import type { Installation } from '../products/installation';
import { MCP_PATH, PATHS } from '../http/paths';
import { templateOf } from '../routes/parameters';
import { priceText } from '../products/price';
import { PRODUCTS } from '../products/registry';

/** `/llms.txt` (https://llmstxt.org). */
export function llmsText(installation: Pick<Installation, 'baseUrl' | 'subscription'>): string {
  const { baseUrl } = installation;
  return `# hostprobe

> Checks which agent protocols a host supports and whether agents can pay it, with the requests behind each result. Stored reports are free; live probes and checks are paid per call, in USDC over x402.

Protocols: ${DETECTOR_IDS.join(', ')}.

Start with the free report. It has two freshness flags: \`presenceStale\` for published files (24 hours), and \`callabilityStale\` for live endpoints (15 minutes). Buy a refresh before you pay a host whose callability is stale. \`error\` means that a check was inconclusive, never that something is missing.

A paid route answers 402 with the header PAYMENT-REQUIRED. Sign one of its \`accepts\` and send the same request again with PAYMENT-SIGNATURE. Sending the same payment again returns the same answer and is not charged twice. Only 200 responses are charged; invalid input, rate limits and failures of the service are not.

## Free

- \`GET /api/v1/hosts/{domain}\`: The latest report for a host; never asks for payment
- \`GET /api/v1/hosts/{domain}/changes\`: Its last 5 changes
- \`GET /api/v1/hosts?payable=true\`: Payable hosts

## Paid

${PRODUCTS.map(
  (product) =>
    `- \`${product.method} ${templateOf(product.path)}\`: ${priceText(product.price(installation))}. ${product.description(installation)}`,
).join('\n')}

## Documents

- [OpenAPI](${baseUrl}${PATHS.openApi}): every route, parameter, status and body
- [x402 manifest](${baseUrl}${PATHS.x402}): what is sold, with example URLs
- [MCP](${baseUrl}${PATHS.mcp}): tools for agents; the endpoint is \`${baseUrl}${MCP_PATH}\` (POST, Streamable HTTP)
- [API catalog](${baseUrl}${PATHS.catalogue}): links for machines
- [About the prober](${baseUrl}${PROBER_PATH}): what it requests from hosts, and how to opt out
`;
}
