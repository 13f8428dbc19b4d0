import type { Config } from '@app/config';
import { openQueueBoard, queueConnection, type QueueBoard } from '@app/queue';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { ErrorFilter } from '../../http/error.filter';
import { OperatorLogin } from './operator-login';

const BOARD_PATH = '/operator/queues';
/** The board loads fonts from another site, which would learn of every visit. */
const FOREIGN_FILE = /<link href="https:[^"]*"[^<>]*>/g;

/**
 * Registers the queue board and the metrics behind the operator login; without a password, these pages do not exist.
 * @returns resources to close with the gateway
 */
export async function registerOperatorPages(
  fastify: FastifyInstance,
  { operator, redis, database, http }: Config,
  {
    metrics: { registry },
    errors,
  }: { readonly metrics: { readonly registry: Registry }; readonly errors: Pick<ErrorFilter, 'send'> },
): Promise<Pick<QueueBoard, 'close'> | null> {
  const { user, password, actions } = operator;
  if (password === null) return null;
  const login = new OperatorLogin({ user, password }, http.publicBaseUrl, errors);
  const connection = queueConnection(redis?.url ?? null, database.url);
  const board = await openQueueBoard(connection, { path: BOARD_PATH, actions });
  await fastify.register(async (scope) => {
    scope.addHook('onRequest', login.guard);
    scope.addHook('onSend', (_request, _reply, payload, done) => {
      done(null, typeof payload === 'string' ? payload.replace(FOREIGN_FILE, '') : payload);
    });
    await scope.register(board.plugin, { prefix: BOARD_PATH });
    scope.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  });
  return board;
}
