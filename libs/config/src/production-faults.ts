import { isLostAddress } from './development-accounts';
import type { Environment } from './environment';
import type { Variables } from './variables';

/** Variables that contain secrets, or may contain them, such as the URLs of databases. */
const SECRET = /(?:KEY|SECRET|PASSWORD|AUTH|FORMER|DATABASE_URL|REDIS_URL)$/;

/** Placeholder values of secrets in documents and examples. */
const EXAMPLE =
  /change[-_ ]?me|replace[-_ ]?me|example[-_ ]?(?:key|secret|password)|(?:your|my)[-_ ](?:key|secret|password)/i;

/** Addresses that make a listener accept connections on all interfaces. */
const UNSPECIFIED = /^(?:0\.0\.0\.0|\[::\])$/;

/** A few characters, repeated. */
const REPEATED = /^(?:0x)?(.{1,4})\1+$/;

/** Development settings that would be dangerous in production; each sentence names a variable and never its value. */
export function productionFaults(env: Environment): readonly string[] {
  const bearer = env.X402_FACILITATOR_AUTH !== undefined || env.CDP_API_KEY_ID !== undefined;
  const faults: (string | false)[] = [
    env.SECRETS_KEY === undefined && 'SECRETS_KEY must be at least 32 random characters',
    env.PROBE_CONNECT_TO.length > 0 &&
      'PROBE_CONNECT_TO is for test hosts only and not allowed when NODE_ENV is production',
    env.PROBE_CA_FILE !== undefined &&
      'PROBE_CA_FILE is for test hosts only and not allowed when NODE_ENV is production: its authority could vouch for any host',
    env.PROBER_CONTACT === undefined &&
      'PROBER_CONTACT is required: the address where site owners can opt out, a mailto: or https:// URL',
    env.X402_PAY_TO !== undefined &&
      isLostAddress(env.X402_PAY_TO) &&
      'X402_PAY_TO is an example address or the token contract, and payments to it are lost; set your own account',
    bearer &&
      env.X402_FACILITATOR_URL?.startsWith('https:') === false &&
      'X402_FACILITATOR_URL must be https, because every call carries the facilitator key',
    env.PUBLIC_BASE_URL === undefined &&
      !isLoopback(env.HOST) &&
      'PUBLIC_BASE_URL is required when HOST is not a loopback address: without it payments are not bound to a name, and other sites can call the MCP endpoint',
    env.PUBLIC_BASE_URL !== undefined &&
      UNSPECIFIED.test(new URL(env.PUBLIC_BASE_URL).hostname) &&
      'PUBLIC_BASE_URL must be the URL that callers use; 0.0.0.0 and [::] are only addresses to listen on',
    env.SECRETS_KEY !== undefined &&
      env.SECRETS_KEY_FORMER.includes(env.SECRETS_KEY) &&
      'SECRETS_KEY is also in SECRETS_KEY_FORMER; set a new SECRETS_KEY and keep only the old one in SECRETS_KEY_FORMER',
  ];
  return faults.filter((fault) => fault !== false);
}

/** Secrets that are in documents or easy to guess, by the names of their variables. */
export function exampleFaults(set: Variables): readonly string[] {
  const shown = Object.entries(set).filter(
    ([name, value = '']) => SECRET.test(name) && (EXAMPLE.test(value) || REPEATED.test(value)),
  );
  return shown.map(([name]) => `${name} still has an example value; set your own secret`);
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);
}
