/** What signals ask of the domain name system beside addresses. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: 'TXT' | 'SVCB';
}

/**
 * The answer to a question that was answered: one string for each record, none when the name has none. TXT: its parts
 * joined. SVCB (RFC 9460): priority and target, as in `1 agents.example.com`.
 */
export interface DnsRecords extends DnsQuestion {
  readonly records: readonly string[];
}
