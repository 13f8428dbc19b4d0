// AgentKit: its x402 action requests the host again after the model has chosen an option, so the signed payment may differ
// from the one that the model saw. The guard checks the signature itself against the statement about the host.
// npm install @coinbase/agentkit @hostprobe/guard
import { x402ActionProvider } from '@coinbase/agentkit';
import { guard } from '@hostprobe/guard';

/**
 * `wallet` is a wallet provider of AgentKit, `options` are the guard's: `{ issuer: <URL of a hostprobe service> }`.
 * `pay` has the arguments and the result of the action `retry_http_request_with_x402`.
 */
export function guardedX402(wallet, options) {
  const guarded = guard({ maxUsd: 0.05, ...options });
  const signer = guarded.signer(wallet);
  const provider = x402ActionProvider();
  return { pay: (args) => guarded.within(args.url, () => provider.retryWithX402(signer, args)) };
}
