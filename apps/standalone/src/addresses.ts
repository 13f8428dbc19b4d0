import { freePort, isTaken } from './embedded/free-port';
import { errorCode } from './embedded/private-file';
import type { Settings } from './settings';

/** The address and port that the gateway will listen on. */
export interface GatewayAddress {
  readonly port: number;
  /** How to reach it from this machine. */
  readonly localUrl: string;
}

const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Checks that the gateway can use its port, before anything is started.
 * @throws Error with a sentence if it cannot
 */
export async function gatewayAddress({ host, port: wanted }: Settings): Promise<GatewayAddress> {
  const port = wanted === 0 ? await freePort() : wanted;
  const taken = await isTaken(host, port).catch((error: unknown) => {
    throw new Error(
      `the gateway cannot listen on ${host} port ${port} (${String(errorCode(error))}); set HOST or PORT`,
    );
  });
  if (taken) throw new Error(`port ${port} of ${host} is in use by another program; stop it, or set another PORT`);
  const name = WILDCARDS[host] ?? host;
  return { port, localUrl: `http://${name.includes(':') ? `[${name}]` : name}:${port}` };
}
