// An agent of the Vercel AI SDK: it looks up hosts with hostprobe's MCP tools, and buys with a guarded tool.
// npm install ai @ai-sdk/mcp @hostprobe/guard @x402/fetch @x402/evm
import { createMCPClient } from '@ai-sdk/mcp';
import { guard, isPaymentRefused } from '@hostprobe/guard';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';

/** `issuer` is the URL of a hostprobe service, `account` a viem account, `model` any model of the AI SDK. */
export async function ask({ issuer, account, model, prompt }) {
  const guarded = guard({ issuer, maxUsd: 0.05 });
  const client = new x402Client()
    .onBeforePaymentCreation(guarded.hook)
    .register('eip155:*', new ExactEvmScheme(guarded.signer(account)));
  const pay = guarded.fetch((below) => wrapFetchWithPayment(below, client));

  const buy = tool({
    description:
      'Fetches a URL and pays for it, up to 0.05 USD, if a fresh statement about the host backs the payment.',
    inputSchema: jsonSchema({ type: 'object', properties: { url: { type: 'string' } }, required: ['url'] }),
    execute: ({ url }) =>
      pay(url).then(
        (response) => response.text(),
        (error) => {
          if (isPaymentRefused(error)) return `not paid: ${error.code}`;
          throw error;
        },
      ),
  });

  const mcp = await createMCPClient({ transport: { type: 'http', url: `${issuer}/api/v1/mcp` } });
  try {
    const { lookup_host } = await mcp.tools();
    return await generateText({ model, prompt, tools: { lookup_host, buy }, stopWhen: stepCountIs(5) });
  } finally {
    await mcp.close();
  }
}
