// examples/ai-sdk.mjs with a model that says what is written here: it reads the report, it buys, it says what it got.
import { MockLanguageModelV3 } from 'ai/test';
import { privateKeyToAccount } from 'viem/accounts';
import { ask } from '../ai-sdk.mjs';

const { HOSTPROBE_URL, WALLET_KEY } = process.env;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const step = (unified, ...content) => ({ content, finishReason: { unified }, usage, warnings: [] });
const calls = (toolName, input) =>
  step('tool-calls', { type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) });

const said = [
  calls('lookup_host', { domain: 'shop.example.com' }),
  calls('buy', { url: process.argv[2] }),
  step('stop', { type: 'text', text: 'done' }),
];
const model = new MockLanguageModelV3({ doGenerate: () => Promise.resolve(said.shift()) });
const account = privateKeyToAccount(WALLET_KEY);
const { steps, text } = await ask({ issuer: HOSTPROBE_URL, account, model, prompt: 'Buy the quote.' });
const results = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
console.log(results[0].structuredContent.domain, results[1], text);
