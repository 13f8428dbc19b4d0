import { isTextOfContract, isTextOfKey, type SignedText } from '@app/chain';
import { claimStatement, isTimely } from '@app/claims';
import type { Config } from '@app/config';
import { isEvmAddress, READABLE } from '@app/networks';
import { ClaimRepository, HostRepository, type Claim } from '@app/persistence';
import { readFacts } from '@app/reports';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CONFIG } from '../connections/tokens';
import { RequestError } from '../http/request-error';
import { statedOf, type ClaimState } from './claim-state';
import { Claims } from './claims';

/** What a claimant sends whose wallet signed the statement of a claim. */
export const SignedByWallet = z.object({
  expires: z.string().max(24).describe('The last line of the statement, as it was signed.'),
  wallet: z.string().refine(isEvmAddress).describe('An address that the stored report of the host names as payTo.'),
  signature: z
    .string()
    .max(4_096)
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/)
    .describe('Hex, as personal_sign makes it (EIP-191), or what the contract of the wallet accepts (EIP-1271).'),
});

/** Wallets that payments to a host go to, shown to its claimants: no control of the host, and so no right (behaviour 17.8). */
@Injectable()
export class WalletBadges {
  constructor(
    private readonly claims: Claims,
    private readonly stored: ClaimRepository,
    private readonly hosts: HostRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws {RequestError} 400 `claim_signature_invalid`, and as {@link Claims.show} */
  async sign(id: string, key: string, raw: unknown): Promise<ClaimState> {
    const claim = await this.claims.standing(id, key);
    const body = SignedByWallet.safeParse(raw);
    if (!body.success) throw refused('send { expires, wallet, signature }');
    const { expires, signature } = body.data;
    if (!isTimely(expires, new Date()))
      throw refused('the statement has expired; ask for the claim, and sign it again');
    const address = body.data.wallet.toLowerCase();
    const paid = await this.networksOf(claim, address);
    if (paid.length === 0) throw refused('no way to pay in the stored report of the host goes to this wallet');
    const text = claimStatement(statedOf(claim, this.config.http.publicBaseUrl), expires);
    const networks = await this.signedOn(paid, { text, wallet: address, signature });
    if (networks.length === 0) throw refused('the signature is not one of the statement by this wallet');
    const signed = await this.stored.signByWallet(claim.id, { address, networks });
    if (!signed) throw new RequestError('claim_key_invalid');
    return this.claims.told(signed);
  }

  /** Networks on which the stored report says that payments go to the address. */
  private async networksOf({ domain }: Claim, address: string): Promise<readonly string[]> {
    const report = await this.hosts.findReport(domain);
    const { rails } = report ? readFacts(report.facts).paymentRails : { rails: [] };
    const paid = rails.filter(({ payTo }) => payTo?.toLowerCase() === address);
    return [...new Set(paid.flatMap(({ network }) => network ?? []))].filter((network) =>
      network.startsWith('eip155:'),
    );
  }

  /** A key is one on all networks; a contract is asked on each that can be read. */
  private async signedOn(networks: readonly string[], signed: SignedText): Promise<readonly string[]> {
    if (await isTextOfKey(signed)) return networks;
    const readable = READABLE.filter((id) => networks.includes(id) && this.config.rpc[id].length > 0);
    const accepted = await Promise.all(
      readable.map((id) => isTextOfContract(signed, this.config.rpc[id]).catch(() => false)),
    );
    return readable.filter((_, at) => accepted[at]);
  }
}

function refused(sentence: string): RequestError {
  return new RequestError('claim_signature_invalid', sentence);
}
