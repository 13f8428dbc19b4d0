// AgentKit: its x402 action asks the host again between the option that the model chose and the signature, so what was read
// and what is signed may differ. The guard holds the signature itself against the statement about the host.
// npm install @coinbase/agentkit @hostprobe/guard
import { x402ActionProvider } from '@coinbase/agentkit';
import { guard } from '@hostprobe/guard';

/**
 * `wallet` is a wallet provider of AgentKit, `options` are those of the guard: `{ issuer: <URL of a hostprobe service> }`.
 * `pay` takes what the action `retry_http_request_with_x402` takes, and resolves to what it says.
 */
export function guardedX402(wallet, options) {
  const guarded = guard({ maxUsd: 0.05, ...options });
  const signer = guarded.signer(wallet);
  const provider = x402ActionProvider();
  return { pay: (args) => guarded.within(args.url, () => provider.retryWithX402(signer, args)) };
}
