/** The value of a fix for agents, and its effort for the owner (behaviour 4.6). */
export interface Gain {
  /** 1: agents can pay safely; 2: agents can find and call what the host publishes; 3: everything else. */
  readonly priority: 1 | 2 | 3;
  readonly effort: (typeof EFFORTS)[number];
  /** One sentence. */
  readonly why: string;
}

/** Effort for somebody who knows the host, in ascending order. */
export const EFFORTS = ['minutes', 'hours', 'days'] as const;

/** Fixing an existing document takes less time than publishing it. */
const MENDING = 'minutes';

/** Kinds of fixes with another gain than publishing the protocol. */
const OF_KIND: Readonly<Record<string, Partial<Gain>>> = {
  private_key: {
    priority: 1,
    why: 'While the private key is public, anybody can sign as this host, and agents cannot tell the difference.',
  },
  unreachable: { effort: 'hours', why: 'Agents are sent to an address that does not work.' },
  interface: { effort: 'hours', why: 'Agents are sent to an address that does not work.' },
  endpoint: { effort: 'hours', why: 'Agents are sent to an address that does not work.' },
  wall: {
    priority: 1,
    effort: 'hours',
    why: 'Agents cannot check out behind a bot wall, and clients such as Google do not retry a 403 or a 429 here.',
  },
  unpayable: { why: 'The host asks agents for payment, but none of them can pay it.' },
  redirect: {
    effort: 'hours',
    why: 'Agents must not follow a redirect here, so they never see what is behind it.',
  },
  html: { why: 'Agents cannot use an HTML page instead of the document.' },
  signature: {
    effort: 'hours',
    why: 'Agents that verify signatures reject a card whose signature is wrong.',
  },
  legacy_path: { priority: 3 },
  cache_control: { priority: 3, why: 'Agents that may not cache the document request it every time.' },
};

/** The gain of a kind of fix, based on the gain of publishing the whole protocol. */
export function gainOf(publishing: Gain, kind: string): Gain {
  const own = Object.hasOwn(OF_KIND, kind) ? OF_KIND[kind] : undefined;
  return kind === 'missing' ? publishing : { ...publishing, effort: MENDING, ...own };
}
