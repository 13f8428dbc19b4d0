import { HostName } from '@app/reports';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { knowsTag } from '../http/entity-tag';
import { prefersMarkdown } from '../pages/markdown/accepts-markdown';
import type { ServedReport } from './cached-report';
import type { HostReportsService } from './host-reports.service';

/** Route of `HostsController.report`. */
const ROUTE = '/api/v1/hosts/:domain';

type Request = Pick<FastifyRequest, 'headers'>;

/**
 * Answers plain reads of a report in front of the controller's route, because Nest's way to a handler costs as much as the
 * whole answer (docs/performance.md). Whatever is not plain - a live look, a wait, Markdown, a look that is due, a
 * name to be refused - goes on to the controller, which gives the same answer to plain reads too.
 * Call before the routes are registered.
 */
export function answerPlainReads(fastify: Pick<FastifyInstance, 'addHook'>, reports: HostReportsService): void {
  const hook = plainReads(reports);
  fastify.addHook('onRoute', (route) => {
    if (route.url !== ROUTE || route.method !== 'GET') return;
    route.onRequest = [route.onRequest ?? [], hook].flat();
  });
}

/** Sends a report, or 304 to whoever has it. */
export function sendReport(
  request: Request,
  reply: FastifyReply,
  { body, etag, cacheControl }: Pick<ServedReport, 'body' | 'etag' | 'cacheControl'>,
): void {
  void reply.header('etag', etag).header('cache-control', cacheControl).header('vary', 'Accept');
  if (knowsTag(request.headers['if-none-match'], etag)) void reply.code(304).send();
  else void reply.header('content-type', 'application/json; charset=utf-8').send(body);
}

function plainReads(reports: HostReportsService): onRequestHookHandler {
  return (request, reply, done) => {
    if (!isPlain(request)) {
      done();
      return;
    }
    const name = (request.params as { domain: string }).domain;
    const hit = reports.inMemory(name);
    if (hit) sendReport(request, reply, hit);
    else void answerMiss(reports, name, request, reply, done);
  };
}

function isPlain({ headers, raw: { url } }: FastifyRequest): boolean {
  return url !== undefined && !url.includes('?') && headers.prefer === undefined && !prefersMarkdown(headers.accept);
}

async function answerMiss(
  reports: HostReportsService,
  name: string,
  request: Request,
  reply: FastifyReply,
  goOn: () => void,
): Promise<void> {
  const reading = HostName.parse(name);
  const report = reading.ok ? await reports.withoutLook(reading.host).catch(() => undefined) : undefined;
  if (report) sendReport(request, reply, report);
  else goOn();
}
