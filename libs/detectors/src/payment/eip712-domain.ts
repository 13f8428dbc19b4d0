import { isEvmAddress, type Token } from '@app/networks';
import { text } from '../formats/json';
import type { X402Accept } from './x402-accept';

/** What is wrong with the stated EIP-712 domain. */
export interface DomainFault {
  readonly code: string;
  /** A signature under the stated domain can never verify. A missing domain only stops clients without a table. */
  readonly fatal: boolean;
}

/**
 * EIP-3009 payments are signed under the token's EIP-712 domain, which the option states in `extra.name` and
 * `extra.version` (https://eips.ethereum.org/EIPS/eip-3009). Permit2 payments need none.
 */
export function domainFault(accept: X402Accept, token: Token | undefined): DomainFault | undefined {
  const { extra, asset, scheme, version: x402Version } = accept;
  // Version 1 has no other method than EIP-3009.
  if (extra['assetTransferMethod'] === 'permit2' && x402Version === 2) return undefined;
  if (token?.permit2Only) return { code: 'eip3009_unsupported_by_asset', fatal: true };
  const [name, version] = [text(extra['name']), text(extra['version'])];
  const contract = text(extra['verifyingContract']);
  if (contract !== undefined && isEvmAddress(contract) && contract.toLowerCase() !== asset?.toLowerCase()) {
    return { code: 'eip712_domain_wrong', fatal: true };
  }
  const wrong =
    token?.domain &&
    ((name !== undefined && name !== token.domain.name) || (version !== undefined && version !== token.domain.version));
  if (wrong) return { code: 'eip712_domain_wrong', fatal: true };
  // The other schemes demand both among their members.
  return scheme === 'exact' && (name === undefined || version === undefined)
    ? { code: 'eip712_domain_missing', fatal: false }
    : undefined;
}
