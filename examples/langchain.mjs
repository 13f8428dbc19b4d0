// LangChain: a tool that makes only payments that the guard allows, and an agent loop around it.
// npm install @langchain/core @hostprobe/guard @x402/fetch @x402/evm
import { HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { guard, isPaymentRefused } from '@hostprobe/guard';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';

/** `issuer` is the URL of a hostprobe service, `account` a viem account. */
export function buyTool({ issuer, account }) {
  const guarded = guard({ issuer, maxUsd: 0.05 });
  const client = new x402Client()
    .onBeforePaymentCreation(guarded.hook)
    .register('eip155:*', new ExactEvmScheme(guarded.signer(account)));
  const pay = guarded.fetch((below) => wrapFetchWithPayment(below, client));

  const buy = async ({ url }) => {
    try {
      return await (await pay(url)).text();
    } catch (error) {
      if (isPaymentRefused(error)) return `not paid: ${error.code}`;
      throw error;
    }
  };
  return tool(buy, {
    name: 'buy',
    description:
      'Fetches a URL and pays for it, up to 0.05 USD, if a fresh statement about the host backs the payment.',
    schema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
  });
}

/** `model` is any chat model that calls tools. Returns all messages; the last one is the answer. */
export async function ask({ issuer, account, model, prompt }) {
  const buy = buyTool({ issuer, account });
  const bound = model.bindTools([buy]);
  const messages = [new HumanMessage(prompt)];
  for (let step = 0; step < 5; step += 1) {
    const said = await bound.invoke(messages);
    messages.push(said);
    if (!said.tool_calls?.length) break;
    for (const call of said.tool_calls) messages.push(await buy.invoke(call));
  }
  return messages;
}
