import { ABSENT, type SignalDefinition } from './signal';

/** The protocols allowed in a record. */
const PROTOCOLS = 'mcp a2a openapi grpc graphql websocket local zeroconf ucp'.split(' ');
const SCHEMES: Readonly<Record<string, RegExp>> = {
  websocket: /^wss:\/\//,
  local: /^(?:docker|npx|pip):/,
  zeroconf: /^zeroconf:/,
};
/** Keys with their short forms; a record uses one of the two. */
const SHORT: Readonly<Record<string, string>> = {
  version: 'v',
  uri: 'u',
  proto: 'p',
  auth: 'a',
  desc: 's',
  docs: 'd',
  dep: 'e',
  pka: 'k',
  kid: 'i',
};

/** Agent Identity and Discovery: a TXT record at `_agent.<host>`, https://aid.agentcommunity.org/. */
export const aid: SignalDefinition = {
  id: 'aid',
  draft: true,
  question: (domain) => ({ name: `_agent.${domain}`, type: 'TXT' }),
  judge(seen) {
    const answer = seen.recordsOf(`_agent.${seen.domain}`, 'TXT');
    if (!answer) return undefined;
    const records = answer.filter((record) => /(?:^|;)\s*v(?:ersion)?\s*=\s*aid/i.test(record.slice(0, 4_096)));
    if (records.length === 0) return ABSENT;
    const at = `_agent.${seen.domain} TXT`;
    const valid = records.map(readRecord).filter((record) => record !== undefined);
    // The newer version wins; two records of one version are ambiguous.
    const newest = valid.some(({ version }) => version === 'aid2') ? 'aid2' : 'aid1';
    const chosen = valid.filter(({ version }) => version === newest);
    if (chosen.length > 1) return { status: 'faulty', at, note: 'ambiguous' };
    return chosen[0] ? { status: 'valid', at, note: chosen[0].protocol } : { status: 'faulty', at };
  },
};

function readRecord(record: string): { readonly version: 'aid1' | 'aid2'; readonly protocol: string } | undefined {
  const members = new Map<string, string>();
  for (const part of record.slice(0, 4_096).split(';')) {
    const equals = part.indexOf('=');
    const key = part.slice(0, Math.max(0, equals)).trim().toLowerCase();
    const short = SHORT[key] ?? key;
    if (key === '') continue;
    if (members.has(short)) return undefined;
    members.set(short, part.slice(equals + 1).trim());
  }
  const [version, protocol = '', uri = ''] = [members.get('v'), members.get('p')?.toLowerCase(), members.get('u')];
  if ((version !== 'aid1' && version !== 'aid2') || !PROTOCOLS.includes(protocol)) return undefined;
  if (!(SCHEMES[protocol] ?? /^https:\/\//).test(uri)) return undefined;
  const [key, id] = [members.has('k'), members.has('i')];
  return (version === 'aid2' ? id : key !== id) ? undefined : { version, protocol };
}
