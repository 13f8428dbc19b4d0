import { DETECTOR_IDS } from '@app/detectors';
import { PROBER_PATH } from '@app/identity';
import type { Installation } from './installation';
import { PATHS } from './links';
import { FREE_LINES, priceLines } from './price-lines';

/** `/llms.txt` (https://llmstxt.org). */
export function llmsText(installation: Pick<Installation, 'baseUrl' | 'subscription'>): string {
  const { baseUrl } = installation;
  return `# hostprobe

> Tells which machine-facing commerce and discovery protocols a host publishes, whether an agent can pay it, and how that was seen. Cached reports are free; live looks and checks are paid per call in USDC through x402.

Protocols: ${DETECTOR_IDS.join(', ')}.

Begin with the free report. It has two clocks: \`presenceStale\` is about published documents (24 hours), \`callabilityStale\` about whether they work (15 minutes). Buy a refresh before you pay a host whose callability is stale. \`error\` means that the host could not be looked at, never that something is missing.

A paid route answers 402 with the header PAYMENT-REQUIRED. Sign one of its \`accepts\` and send the same request again with PAYMENT-SIGNATURE. The same payment sent again gets the same answer and is not charged twice. Only answers 200 are charged; wrong input, rate limits and failures of ours are not.

## Free

${FREE_LINES.map(({ request, what }) => `- \`${request}\`: ${what}`).join('\n')}

## Paid, in USDC

${priceLines(installation)
  .map(({ request, price, what }) => `- \`${request}\`: ${price}. ${what}`)
  .join('\n')}

## Documents

- [OpenAPI](${baseUrl}${PATHS.openApi}): every route, parameter, status and body
- [x402 manifest](${baseUrl}${PATHS.x402}): what is sold, with URLs to try
- [MCP](${baseUrl}${PATHS.mcp}): the same as tools
- [API catalogue](${baseUrl}${PATHS.catalogue}): links for machines
- [About the prober](${baseUrl}${PROBER_PATH}): what it asks of hosts, and how to opt out
`;
}
