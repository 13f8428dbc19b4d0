import { list, member, text } from '../formats/json';
import { jsonSignal } from './documents';
import type { SignalDefinition } from './signal';

const PATH = '/.well-known/oauth-protected-resource';

/** Metadata of a protected resource (RFC 9728), at the root of the host. */
export const oauthProtectedResource: SignalDefinition = {
  id: 'oauth-protected-resource',
  requests: [{ method: 'GET', url: PATH }],
  judge: (seen) =>
    jsonSignal(seen, PATH, (value) => {
      const resource = text(member(value, 'resource'));
      const servers = member(value, 'authorization_servers');
      const issuers = list(servers) ?? [];
      const wrong =
        servers !== undefined && (issuers.length === 0 || !issuers.every((url) => /^https:\/\//.test(text(url) ?? '')));
      return { status: resource !== undefined && seen.sameSite(resource) && !wrong ? 'valid' : 'faulty' };
    }),
};
