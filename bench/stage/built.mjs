// The built service, and servers on loopback.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** Loads a module of dist/ by its path without the extension. */
export const built = (path) => require(`../../dist/${path}.js`);

/** The path of a program in dist/. */
export const program = (app) => fileURLToPath(new URL(`../../dist/apps/${app}/src/main.js`, import.meta.url));

/** Makes a server listen on loopback or the given address, and tolerate all client errors. @returns its port */
export async function portOf(server, address = '127.0.0.1') {
  server.on('connection', (socket) => socket.on('error', () => undefined)).on('tlsClientError', () => undefined);
  await once(server.listen(0, address), 'listening');
  return server.address().port;
}

/** A database with the secrets of a service without SECRETS_KEY, without a statement timeout. */
export function openDatabase(url) {
  const { database } = built('libs/config/src/index').loadConfig({ DATABASE_URL: url });
  const { Database } = built('libs/storage/src/index');
  return new Database(url, { ...database, statementMs: null });
}
