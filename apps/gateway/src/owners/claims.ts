import { claimStatus, isSuffixOfTenants, keyHash, mayEnd, newChallenge, newKey } from '@app/owners';
import type { Config } from '@app/config';
import { networkKey, type OptOuts } from '@app/limits';
import type { Claim, ClaimRepository, RunRepository, StoredRun } from '@app/storage';
import { enqueueClaimCheck } from '@app/queue';
import { HostName } from '@app/hosts';
import type { Producers } from '../platform/connections';
import type { Caller, RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { claimState, type ClaimState, type NewClaim } from './claim-state';

/** The operations of owners on their claims (behaviour 17). A claim never appears in a report. */
export class Claims {
  constructor(
    private readonly claims: ClaimRepository,
    private readonly runs: RunRepository,
    private readonly optOuts: OptOuts,
    private readonly limits: RateLimits,
    private readonly producers: Producers,
    private readonly config: Config,
  ) {}

  /**
   * @param callerIp its network has a limit on unverified claims
   * @throws {RequestError} 400 `invalid_domain` for a public suffix, 403 `opted_out`
   */
  async begin(host: HostName, callerIp: string): Promise<NewClaim> {
    if (isSuffixOfTenants(host.ascii)) throw new RequestError('invalid_domain', 'A public suffix has no single owner.');
    if (this.optOuts.covers(host.ascii)) throw new RequestError('opted_out');
    const key = newKey('claim');
    const claim = await this.claims.open(host.ascii, keyHash(key), newChallenge(), host.site, networkKey(callerIp));
    return { ...(await this.toView(claim)), key };
  }

  /**
   * Returns the claim and starts a new check, unless the last one was too recent or the caller started too many.
   * @throws {RequestError} 401 `claim_key_invalid`, also for an unknown claim, or `claim_lapsed`
   */
  async show(id: string, key: string, caller: Caller): Promise<ClaimState> {
    return (await this.check(id, key, caller)).claim;
  }

  /** {@link show}, with the run of the check where one was started. */
  async check(
    id: string,
    key: string,
    caller: Caller,
  ): Promise<{ readonly claim: ClaimState; readonly run?: StoredRun }> {
    const claim = await this.activeClaim(id, key);
    const reading = HostName.parse(claim.domain);
    if (!reading.ok || !(await this.claims.mayCheck(claim.id)) || !(await this.limits.mayCheckClaim(caller))) {
      return { claim: await this.toView(claim) };
    }
    const { runs, producers } = this;
    const run = await enqueueClaimCheck({ runs, producer: producers.claims }, reading.host, claim.id).catch(() => {
      throw new RequestError('queue_unavailable');
    });
    await this.claims.noteAsked(claim.id); // not earlier: a refused check must not postpone the daily one
    return { claim: await this.toView(claim), run };
  }

  /** Replaces the key with a new one. @throws like {@link show} */
  async rotate(id: string, key: string): Promise<NewClaim> {
    const { id: claim } = await this.activeClaim(id, key);
    const next = newKey('claim');
    const changed = await this.claims.changeKey(claim, keyHash(key), keyHash(next));
    if (!changed) throw new RequestError('claim_key_invalid');
    return { ...(await this.toView(changed)), key: next };
  }

  /**
   * Ends a claim, even a lapsed one, and returns it one last time. An owner verified by DNS can also end claims of the
   * host by file: otherwise somebody who took over the web server would keep theirs.
   * @throws {RequestError} 401 `claim_key_invalid`
   */
  async end(id: string, key: string): Promise<ClaimState> {
    const claim = await this.claims.ofKey(keyHash(key));
    if (!claim) throw new RequestError('claim_key_invalid');
    const ended = claim.id === id.toLowerCase() ? claim : await this.claims.read(id);
    if (!ended || (ended.id !== claim.id && !mayEnd(claim, ended, new Date()))) {
      throw new RequestError('claim_key_invalid');
    }
    await this.claims.remove(ended.id);
    const told = await this.toView(claim);
    return ended.id === claim.id ? { ...told, status: 'ended' } : told;
  }

  /** The host of a verified claim. @throws {RequestError} 403 `claim_not_verified`, and like {@link show} */
  async hostOf(id: string, key: string): Promise<HostName> {
    const claim = await this.activeClaim(id, key);
    const reading = HostName.parse(claim.domain);
    if (!reading.ok || claimStatus(claim, new Date()) !== 'verified') throw new RequestError('claim_not_verified');
    return reading.host;
  }

  /** The id of the claim of that host and key. @throws {RequestError} 401 `claim_key_invalid` */
  async idOf(host: HostName, key: string): Promise<string> {
    const claim = await this.claims.ofKey(keyHash(key));
    if (claim?.domain !== host.ascii) throw new RequestError('claim_key_invalid');
    return claim.id;
  }

  /** The active claim of a key. A wrong key and an unknown claim get the same answer. */
  private async activeClaim(id: string, key: string): Promise<Claim> {
    const claim = await this.claims.ofKey(keyHash(key));
    if (claim?.id !== id.toLowerCase()) throw new RequestError('claim_key_invalid');
    if (claimStatus(claim, new Date()) === 'lapsed') throw new RequestError('claim_lapsed');
    return claim;
  }

  /** The claim as its owner sees it. */
  private async toView(claim: Claim): Promise<ClaimState> {
    const [others, lastProbe] = await Promise.all([this.claims.others(claim), this.runs.lastFree(claim.domain)]);
    return claimState(claim, { others, lastProbe }, this.config.http.publicBaseUrl, new Date());
  }
}
