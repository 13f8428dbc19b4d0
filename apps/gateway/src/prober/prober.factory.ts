import { VERSION, type Config } from '@app/config';
import { DIRECTORY_PATH, PRODUCT_TOKEN, PROBER_PATH, ProberIdentity, userAgentOf } from '@app/identity';
import { ServerSecretRepository, type Database } from '@app/persistence';
import type { ProberFacts } from './prober-page';

/** The identity the workers sign with: the configured key, or the one they share through the database. */
export function openProberIdentity({ identity, http }: Config, database: Database): Promise<ProberIdentity> {
  return ProberIdentity.open({
    configured: identity.signingKey,
    secrets: new ServerSecretRepository(database),
    baseUrl: http.publicBaseUrl,
  });
}

/** What the page about the prober says of this installation. */
export function proberFacts({ http, targets, identity }: Config): ProberFacts {
  const { publicBaseUrl } = http;
  return {
    userAgent: userAgentOf(VERSION, publicBaseUrl),
    productToken: PRODUCT_TOKEN,
    targets,
    egress: identity.egress,
    contact: identity.contact,
    directoryUrl: `${publicBaseUrl}${DIRECTORY_PATH}`,
    egressUrl: `${publicBaseUrl}${PROBER_PATH}/egress.json`,
  };
}
