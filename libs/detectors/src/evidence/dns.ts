/** A DNS question of a signal, other than for addresses. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: 'TXT' | 'SVCB';
}

/**
 * The answer to a DNS question: one string per record, empty if the name has none. TXT: the joined parts. SVCB (RFC
 * 9460): priority and target, as in `1 agents.example.com`.
 */
export interface DnsRecords extends DnsQuestion {
  readonly records: readonly string[];
}
