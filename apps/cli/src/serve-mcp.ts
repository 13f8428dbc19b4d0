import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { HostName } from '@app/hosts';
import type { HostFacts } from '@app/reports';
import type { Command } from './terminal/command';
import { CommandError, EXIT, type ExitCode } from './terminal/exit-codes';
import type { Terminal } from './terminal/terminal';
import { probeAt } from './probe';
import { readReport } from './service/answers';
import { storedReport } from './service/service-answer';
import { serviceUrl } from './service/service-url';
import { lookupHost, probeHost } from './mcp/host-tools';
import { createLocalServer } from './mcp/local-server';
import { PaymentCheck } from './mcp/payment-check';
import { checkBeforePaying } from './mcp/payment-tool';
import { verifyStatementTool } from './mcp/statement-tool';
import { trustedKeys } from './verify-statement';

/** The default limit of one payment, the same as in x402 clients. */
const MAX_USD = 1;

/**
 * Runs a local MCP server on standard input and output until its client closes them. It has no wallet and does not
 * read the variables for one.
 */
export async function serveMcp(
  { url, maxUsd }: Extract<Command, { kind: 'mcp' }>,
  { env, complain }: Terminal,
): Promise<ExitCode> {
  const service = serviceUrl(url, env);
  const configured = (): string => {
    if (service !== undefined) return service;
    throw new CommandError(EXIT.usage, 'no service is configured: start hostprobe mcp with --url or HOSTPROBE_URL');
  };
  const probe = (host: HostName): Promise<HostFacts> => probeAt(host, { env, complain });
  const check = await PaymentCheck.open({ maxUsd: Number(maxUsd ?? MAX_USD), issuer: service, probe });
  const tools = [
    probeHost(probe, (facts) => {
      check.forget(facts);
    }),
    checkBeforePaying(check),
    verifyStatementTool(async () => ({ ...(await trustedKeys(configured())), issuer: configured() })),
    lookupHost(async (host) => readReport(await storedReport(configured(), host))),
  ];
  const closed = once(process.stdin, 'close');
  const server = serveStdio(() => createLocalServer(tools, complain), {
    onerror: (error) => {
      complain(`${error.message}\n`);
    },
  });
  await closed;
  await server.close();
  return EXIT.done;
}
