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
/** The end of an address that is a name as it stands: without escapes, and nothing below it. */
const NAME = /^[^/%]{1,253}$/;

/**
 * Plain reads of reports of which no probe is due, from memory or from storage. Whatever is not plain - a live probe, a wait,
 * Markdown, a probe that is due, a name to be refused - goes to the route, which gives the same answer to plain reads too.
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

/** Sends a report, or 304 to a reader that has it. */
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

/** Whether a reader asks for the signed form of a report. */
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
