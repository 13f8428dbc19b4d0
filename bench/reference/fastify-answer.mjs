// Plain Fastify with one prepared answer from the parent: `{ status, headers, body }`. With an `etag` header, it
// answers 304 to a client that has it.
import Fastify from 'fastify';

process.once('message', async ({ status, headers, body }) => {
  const fastify = Fastify();
  const { etag } = headers;
  const listed = Object.entries(headers);
  fastify.get('/*', (request, reply) => {
    for (const [name, value] of listed) reply.header(name, value);
    if (etag !== undefined && request.headers['if-none-match'] === etag) reply.code(304).send();
    else reply.code(status).send(body);
  });
  process.send({ url: await fastify.listen({ host: '127.0.0.1', port: 0 }) });
});
