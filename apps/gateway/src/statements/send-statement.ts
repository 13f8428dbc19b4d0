import type { CachedAnswers } from '../http/fast-path';
import { knowsTag } from '../http/entity-tag';
import type { AnswerReply } from '../http/raw-reply';
import { HOSTS } from '../http/paths';
import type { Statement, Statements } from './statements';

const STATEMENT = '/statement';
const ROUTE = `${HOSTS}:domain${STATEMENT}`;

/** How long a cache may keep a statement, in seconds, because a newer one may exist. */
const MAX_AGE_SEC = 60;

/** Sends a statement, or 304 to a client that already has it. */
export function sendStatement(reply: AnswerReply, { token, etag, expiresAt }: Statement): void {
  const maxAge = Math.max(0, Math.min(MAX_AGE_SEC, Math.floor((expiresAt - Date.now()) / 1_000)));
  reply.header('etag', etag);
  reply.header('cache-control', `public, max-age=${maxAge}`);
  reply.header('vary', 'Accept');
  if (knowsTag(reply.request.headers['if-none-match'], etag)) {
    reply.code(304);
    reply.send();
  } else {
    reply.header('content-type', 'application/jwt');
    reply.send(token);
  }
}

/** The best available form of a statement, if it is cached. */
export function cachedStatements(statements: Pick<Statements, 'inMemory'>): CachedAnswers {
  return {
    find: ({ url = '' }) => {
      if (!url.startsWith(HOSTS) || !url.endsWith(STATEMENT)) return undefined;
      const known = statements.inMemory(url.slice(HOSTS.length, -STATEMENT.length));
      return (
        known && {
          route: ROUTE,
          send: (reply) => {
            sendStatement(reply, known);
          },
        }
      );
    },
  };
}
