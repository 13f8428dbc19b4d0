/** What following an advice changes for an agent, and what it costs the owner (behaviour 4.6). */
export interface Gain {
  /** 1: agents can pay or are safe to; 2: agents find and call what is there; 3: the rest. */
  readonly priority: 1 | 2 | 3;
  readonly effort: (typeof EFFORTS)[number];
  /** One sentence. */
  readonly why: string;
}

/** For somebody who knows the host, least first. */
export const EFFORTS = ['minutes', 'hours', 'days'] as const;

/** What is there already and has a fault is mended sooner than it was published. */
const MENDING = 'minutes';

/** Kinds of advice that change something else than publishing the protocol does. */
const OF_KIND: Readonly<Record<string, Partial<Gain>>> = {
  private_key: {
    priority: 1,
    why: 'As long as the key is public, anybody can sign in the name of this host, and agents cannot tell.',
  },
  unreachable: { effort: 'hours', why: 'Agents are sent to an address where nothing answers them.' },
  interface: { effort: 'hours', why: 'Agents are sent to an address where nothing answers them.' },
  endpoint: { effort: 'hours', why: 'Agents are sent to an address where nothing answers them.' },
  wall: {
    priority: 1,
    effort: 'hours',
    why: 'Agents cannot check out behind a wall; readers such as Google do not retry a 403 or a 429 here.',
  },
  unpayable: { why: 'Agents are asked for money here, and none of them can pay.' },
  redirect: {
    effort: 'hours',
    why: 'Agents must not follow a redirect here, so what is behind it does not exist for them.',
  },
  html: { why: 'A page in place of a document tells an agent nothing.' },
  signature: {
    effort: 'hours',
    why: 'Agents that check signatures refuse what is signed wrongly, and trust what is signed well.',
  },
  legacy_path: { priority: 3 },
  cache_control: { priority: 3, why: 'Agents that may not keep the document ask for it again each time.' },
};

/** The gain of an advice of some kind, given that of publishing the whole protocol. */
export function gainOf(publishing: Gain, kind: string): Gain {
  const own = Object.hasOwn(OF_KIND, kind) ? OF_KIND[kind] : undefined;
  return kind === 'missing' ? publishing : { ...publishing, effort: MENDING, ...own };
}
