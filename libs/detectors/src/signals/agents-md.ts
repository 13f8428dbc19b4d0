import { ABSENT, type SignalDefinition } from './signal';

const PATH = '/agents.md';

/** Prose for agents at `/agents.md`, https://agents.md/. Made for repositories; some sites serve one. */
export const agentsMd: SignalDefinition = {
  id: 'agents-md',
  requests: [{ method: 'GET', url: PATH, accept: 'text/markdown, text/plain;q=0.9' }],
  judge(seen) {
    const reading = seen.read(PATH);
    if (reading.kind === 'unasked' || reading.kind === 'blocked') return undefined;
    if (reading.kind !== 'text' || !/^\uFEFF?\s{0,100}#/.test(reading.answer.body)) return ABSENT;
    return { status: 'valid', at: reading.answer.finalUrl };
  },
};
