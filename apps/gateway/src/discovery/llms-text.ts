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

> Tells which machine-facing commerce and discovery protocols a host publishes and whether an agent can pay it, with the requests that show it. Cached reports are free; live probes and checks are paid per call in USDC through x402.

Protocols: ${DETECTOR_IDS.join(', ')}.

Begin with the free report. It has two clocks: \`presenceStale\` is about published documents (24 hours), \`callabilityStale\` about whether they work (15 minutes). Buy a refresh before you pay a host whose callability is stale. \`error\` means that the probe could not decide, never that something is missing.

A paid route answers 402 with the header PAYMENT-REQUIRED. Sign one of its \`accepts\` and send the same request again with PAYMENT-SIGNATURE. The same payment sent again gets the same answer and is not charged twice. Only answers 200 are charged; wrong input, rate limits and failures of the service are not.

## Free

- \`GET /api/v1/hosts/{domain}\`: The stored report of a host; never asks for a payment
- \`GET /api/v1/hosts/{domain}/changes\`: Its last 5 changes
- \`GET /api/v1/hosts?payable=true\`: Hosts that can be paid

## Paid

${PRODUCTS.map(
  (product) =>
    `- \`${product.method} ${templateOf(product.path)}\`: ${priceText(product.price(installation))}. ${product.description(installation)}`,
).join('\n')}

## Documents

- [OpenAPI](${baseUrl}${PATHS.openApi}): every route, parameter, status and body
- [x402 manifest](${baseUrl}${PATHS.x402}): what is sold, with URLs to try
- [MCP](${baseUrl}${PATHS.mcp}): the same as tools; the endpoint is \`${baseUrl}${MCP_PATH}\` (POST, Streamable HTTP)
- [API catalogue](${baseUrl}${PATHS.catalogue}): links for machines
- [About the prober](${baseUrl}${PROBER_PATH}): what it requests from hosts, and how to opt out
`;
}
