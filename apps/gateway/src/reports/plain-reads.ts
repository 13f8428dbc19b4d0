import type { IncomingMessage } from 'node:http';
import { HostName } from '@app/hosts';
import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import type { ReadyAnswers } from '../http/answer-in-front';
import type { AnswerReply } from '../http/front-reply';
import { HOSTS } from '../http/paths';
import { sendTagged } from '../http/published';
import type { ServedReport } from './cached-report';
import type { HostReportsService } from './host-reports.service';
import { prefersMarkdown } from './report-markdown';

/** Route of `ReportController.report`. */
const ROUTE = `${HOSTS}:domain`;

/** Plain reads of reports that are in memory, and of which no probe is due. */
export function readyReports(reports: Pick<HostReportsService, 'inMemory'>): ReadyAnswers {
  return {
    find: (request) => {
      if (!request.url?.startsWith(HOSTS) || !isPlain(request)) return undefined;
      const hit = reports.inMemory(request.url.slice(HOSTS.length));
      return hit && { route: ROUTE, send: (reply) => sendReport(reply, hit) };
    },
  };
}

/**
 * Answers other plain reads in front of the controller's route, because Nest's way to a handler costs as much as the
 * whole answer (docs/performance.md). Whatever is not plain - a live probe, a wait, Markdown, a probe that is due, a
 * name to be refused - goes on to the controller, which gives the same answer to plain reads too.
 * Call before the routes are registered.
 */
export function answerPlainReads(fastify: Pick<FastifyInstance, 'addHook'>, reports: HostReportsService): void {
  fastify.addHook('onRoute', (route) => {
    if (route.url !== ROUTE || route.method !== 'GET') return;
    route.onRequest = [route.onRequest ?? [], plainReads(reports)].flat();
  });
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

function plainReads(reports: HostReportsService): onRequestHookHandler {
  return ({ raw, params }, reply, done) => {
    if (isPlain(raw)) answerRead(reports, (params as { domain: string }).domain, reply, done).catch(done);
    else done();
  };
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

/** A read that fails is not tried again by the controller: its caller has waited for storage once. */
async function answerRead(
  reports: HostReportsService,
  name: string,
  reply: FastifyReply,
  goOn: () => void,
): Promise<void> {
  const reading = HostName.parse(name);
  const report = reading.ok ? await reports.withoutProbe(reading.host) : undefined;
  if (report) await sendReport(reply, report);
  else goOn();
}
