import { VERSION } from '@app/config';
import type { JsonSchema } from '../mcp/json-schema';
import { SCHEMAS } from './components';
import { discoveryPaths } from './discovery-paths';
import { hostPaths, SECURITY_SCHEMES } from './host-paths';
import { mcpPaths } from './mcp-paths';
import type { Described, Paths } from './operation';
import { PARAMETERS } from './parameters';
import { pagePaths } from './page-paths';
import { recordedExamples } from './recorded-answers';
import { HEADERS, REFUSALS, type Response } from './responses';
import type { Members } from './schema';
import { servicePaths } from './service-paths';

/** An OpenAPI 3.1.0 document (https://spec.openapis.org/oas/v3.1.0). */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Members;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, Members>>;
    readonly parameters: Readonly<Record<string, Members>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly examples: Readonly<Record<string, Members>>;
    readonly securitySchemes: Readonly<Record<string, Members>>;
  };
}

const DESCRIPTION =
  'Which machine-facing commerce and discovery protocols a host publishes, whether an agent can pay it, and the evidence for it. Cached reports are free; live looks and checks are paid per call in USDC through x402.';

/** For agents that read nothing else. */
const GUIDANCE =
  'Start with GET /api/v1/hosts/{domain}: free, never asks for a payment. When cache.callabilityStale is true and you are about to pay the host, buy GET /api/v1/hosts/{domain}/refresh. A paid route answers 402 with PAYMENT-REQUIRED; sign one of its accepts and repeat the request with PAYMENT-SIGNATURE. The same payment sent again gets the same answer and is not charged twice. Nothing is charged for answers other than 200.';

/** Everything this installation answers; described and served in one version (spec 9). */
export function openApiDocument(installation: Described): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'hostprobe',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-guidance': GUIDANCE,
    },
    servers: [{ url: installation.baseUrl }],
    tags: [
      { name: 'hosts', description: 'Reports, live looks, changes and subscriptions.' },
      { name: 'checks', description: 'Paid answers to one question.' },
      { name: 'mcp', description: 'Tools for agents.' },
      { name: 'discovery', description: 'How software finds this service.' },
      { name: 'pages', description: 'The same for people, and what their readers subscribe to.' },
      { name: 'service', description: 'Health, and who probes.' },
    ],
    paths: { ...hostPaths(installation), ...mcpPaths(), ...discoveryPaths(), ...pagePaths(), ...servicePaths() },
    components: {
      schemas: SCHEMAS,
      headers: HEADERS,
      parameters: PARAMETERS,
      responses: REFUSALS,
      examples: recordedExamples(installation.baseUrl),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}
