import { privateKeyFixes } from '../documents/document-faults';
import { detailOf, type FixAdvice, type Judgement } from '../judgement/judgement';

const CARD = `{
  "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  "name": "{reversed host}/catalog",
  "version": "1.0.0",
  "description": "Search the catalog of <name of the site>.",
  "remotes": [{ "type": "streamable-http", "url": "https://{host}/mcp" }]
}`;

const PROBLEMS: Readonly<Record<string, string>> = {
  html_not_machine_document: 'answered with an HTML page',
  not_json: 'is not JSON',
  not_an_object: 'is not a JSON object',
  empty_body: 'answered with an empty body',
  no_mcp_member: 'is JSON that does not name an MCP server',
  no_endpoint: 'describes an MCP server but not its address',
  stdio_only: 'describes a server that only runs locally (stdio)',
  transport_none: 'says that the server has no live endpoint',
  local_packages_only: 'lists packages to install but no remote server',
  placeholder_url: 'still contains a template address',
  local_url: 'points to a private address that outside clients cannot reach',
  not_a_url: 'names an endpoint that is not an http(s) URL',
  card_unread: 'lists MCP servers whose cards could not be read',
};

/** Fixes for the owner of the host (behaviour 4.6). */
export function adviseMcp(judgement: Judgement): readonly FixAdvice[] {
  const publish = `Serve a server card as application/json at /.well-known/mcp.json and /.well-known/mcp/server-card.json. It names your Streamable HTTP endpoint. Also list it in /.well-known/ai-catalog.json. A minimal card:\n${CARD}`;
  if (judgement.status === 'absent') {
    return [{ kind: 'missing', problem: 'No MCP server document was found.', fix: publish }];
  }
  const leaked = privateKeyFixes(judgement, 'The MCP server document');
  if (judgement.status === 'partial') {
    const slot = detailOf(judgement, 'path') ?? '/.well-known/mcp.json';
    const problem = PROBLEMS[detailOf(judgement, 'note') ?? ''] ?? 'is not a readable server document';
    return [...leaked, { kind: 'partial', problem: `${slot} ${problem}.`, fix: publish }];
  }
  return [...leaked, ...notHttps(judgement), ...unreachable(judgement)];
}

function notHttps({ findings = [] }: Judgement): readonly FixAdvice[] {
  const at = findings.find(({ id }) => id === 'endpoint_not_https')?.at;
  if (at === undefined) return [];
  return [
    {
      kind: 'endpoint',
      problem: `The declared endpoint ${at} is a plain http URL, and agents do not send credentials over http.`,
      fix: 'Serve the endpoint over https and put its https URL in the server document.',
    },
  ];
}

function unreachable(judgement: Judgement): readonly FixAdvice[] {
  if (!judgement.findings?.some(({ id }) => id === 'endpoint_unreachable')) return [];
  const status = judgement.details?.['endpointStatus'];
  const leadsTo = detailOf(judgement, 'endpointRedirectedTo');
  const to = leadsTo === undefined ? '' : `, a redirect to ${leadsTo}`;
  const seen =
    typeof status === 'number' ? `HTTP ${status}${to}` : (detailOf(judgement, 'endpointFailure') ?? 'no answer');
  return [
    {
      kind: 'unreachable',
      problem: `The declared endpoint ${detailOf(judgement, 'endpoint') ?? ''} did not answer as an MCP server (${seen}).`,
      fix: 'Accept POST requests there with a JSON-RPC body and `Accept: application/json, text/event-stream`, and implement `server/discover` (2026-07-28) or `initialize` (2025-11-25). If the URL is wrong, correct it in the server document.',
    },
  ];
}
