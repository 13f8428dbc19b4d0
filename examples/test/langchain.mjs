// examples/langchain.mjs with a model that says what is written here: it buys, then it says that it is done.
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { privateKeyToAccount } from 'viem/accounts';
import { ask } from '../langchain.mjs';

const { HOSTPROBE_URL, WALLET_KEY } = process.env;
const call = { id: 'buy', name: 'buy', args: { url: process.argv[2] } };
const model = fakeModel().respondWithTools([call]).respond(new AIMessage('done'));
const account = privateKeyToAccount(WALLET_KEY);
const messages = await ask({ issuer: HOSTPROBE_URL, account, model, prompt: 'Buy the quote.' });
console.log(
  messages
    .slice(2)
    .map(({ content }) => content)
    .join(' '),
);
