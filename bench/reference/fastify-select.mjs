// Plain Fastify with a prepared `pg` select: returns the row of the host in the path unchanged.
import Fastify from 'fastify';
import pg from 'pg';

process.once('message', async ({ databaseUrl, headers }) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const fastify = Fastify();
  const listed = Object.entries(headers);
  fastify.get('/api/v1/hosts/:domain', async (request, reply) => {
    const { rows } = await pool.query({
      name: 'report',
      text: 'SELECT version, facts, probed_at, callability_probed_at FROM host WHERE domain = $1',
      values: [request.params.domain],
    });
    for (const [name, value] of listed) reply.header(name, value);
    return rows[0].facts;
  });
  process.send({ url: await fastify.listen({ host: '127.0.0.1', port: 0 }) });
});
