import type { IncomingMessage } from 'node:http';
import { HostName } from '@app/hosts';
import type { CachedAnswers } from '../http/fast-path';
import type { AnswerReply } from '../http/raw-reply';
import { HOSTS } from '../http/paths';
import { sendTagged } from '../http/published';
import type { ServedReport } from './cached-report';
import type { HostReportsService } from './host-reports.service';
import { prefersMarkdown } from './report-markdown';

const ROUTE = `${HOSTS}:domain`;
/** A last path segment that is a plain host name: no escapes, and nothing after it. */
const NAME = /^[^/%]{1,253}$/;

/**
 * Serves plain reads of reports for which no probe is due, from memory or storage. All other reads (live probes, waits,
 * Markdown, due probes, invalid names) go to the route, which answers plain reads identically.
 */
export function cachedReports(reports: Pick<HostReportsService, 'inMemory' | 'withoutProbe'>): CachedAnswers {
  return {
    find: (request) => {
      if (!request.url?.startsWith(HOSTS) || !isPlain(request)) return undefined;
      const name = request.url.slice(HOSTS.length);
      const hit = reports.inMemory(name);
      if (hit) return { route: ROUTE, send: (reply) => sendReport(reply, hit) };
      const reading = NAME.test(name) ? HostName.parse(name) : undefined;
      if (!reading?.ok) return undefined;
      const { host } = reading;
      return {
        route: ROUTE,
        send: async (reply) => {
          const report = await reports.withoutProbe(host);
          return report ? sendReport(reply, report) : false;
        },
      };
    },
  };
}

/** Sends a report, or 304 to a client that already has it. */
export function sendReport(
  reply: AnswerReply,
  { body, etag, cacheControl, ageSec, link }: Pick<ServedReport, 'body' | 'etag' | 'cacheControl' | 'ageSec' | 'link'>,
): void | Promise<void> {
  reply.header('cache-control', cacheControl);
  reply.header('vary', 'Accept, Accept-Encoding');
  if (link !== undefined) reply.header('link', link);
  if (ageSec !== undefined) reply.header('age', String(ageSec));
  reply.header('content-type', 'application/json; charset=utf-8');
  return sendTagged(reply, body, etag, true);
}

/** Whether a client asks for the signed form of a report. */
export function acceptsStatement(accept: string | undefined): boolean {
  return accept !== undefined && /(?:^|,)\s*application\/jwt\s*(?:;|,|$)/i.test(accept);
}

function isPlain({ headers, url }: IncomingMessage): boolean {
  return (
    url !== undefined &&
    !url.includes('?') &&
    headers['prefer'] === undefined &&
    !prefersMarkdown(headers.accept) &&
    !acceptsStatement(headers.accept)
  );
}
