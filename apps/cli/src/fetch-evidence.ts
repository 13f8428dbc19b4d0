import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseUrl } from '@app/detectors';
import type { StatementMembers } from '@app/signing';
import type { Hostprobe } from '../../../packages/client/src/index.js';
import { retryingFetch } from './service/retrying-fetch';
import { answerOf } from './service/service-answer';
import type { VerifyHost } from './terminal/command';
import { CommandError, EXIT } from './terminal/exit-codes';
import { jsonText, oneLine } from './terminal/paint';
import type { Terminal } from './terminal/terminal';
import { statementIn, trustedKeys } from './verify-statement';

/** The files to verify together. */
export interface VerifyInput {
  readonly bundle: Buffer;
  /** Hex; undefined skips the comparison. */
  readonly root?: string | undefined;
  readonly statement: StatementMembers | undefined;
  readonly report: Buffer | undefined;
}

/**
 * Fetches the statement about the latest probe of a host, and the bundle and report that the statement refers to.
 * @throws {CommandError} `serviceUnavailable` if the service has no statement, `broken` if the statement is not
 *   valid
 */
export async function fetchEvidence(
  { host, url, keys, save }: VerifyHost,
  { progress, complain }: Pick<Terminal, 'progress' | 'complain'>,
): Promise<VerifyInput> {
  progress.step(`asking ${oneLine(url)}`);
  try {
    const trusted = await trustedKeys(keys ?? url);
    const ask = (call: Parameters<typeof answerOf>[2]) => answerOf(url.replace(/\/$/, ''), retryingFetch(fetch), call);
    const domain = host.ascii;
    const token = String(await ask((service) => statementOf(service, domain)));
    const statement = await statementIn(token.trim(), trusted);
    if (parseUrl(statement.sub)?.hostname !== domain) {
      throw new CommandError(EXIT.broken, 'the statement is about another host');
    }
    const { evidence, report } = statement;
    if (!evidence || !report) {
      const reason = oneLine(statement.outcome);
      throw new CommandError(EXIT.serviceUnavailable, `the service could not probe the host (${reason}): no report`);
    }
    const [bundle, text] = (await Promise.all([
      ask((service) => bundleOf(service, domain, evidence.root)),
      ask((service) => reportOf(service, domain, report.sha256)),
    ])) as [ArrayBuffer, ArrayBuffer];
    const fetched = { statement, bundle: Buffer.from(bundle), report: Buffer.from(text) };
    if (save !== null) {
      complain(saved(save, { ...fetched, statement: token, keys: jsonText({ ...trusted, issuer: undefined }) }));
    }
    return fetched;
  } finally {
    progress.done();
  }
}

function statementOf(service: Hostprobe, domain: string) {
  return service.GET('/api/v1/hosts/{domain}/statement', { params: { path: { domain } }, parseAs: 'text' });
}

function bundleOf(service: Hostprobe, domain: string, root: string) {
  const params = { path: { domain, root } };
  return service.GET('/api/v1/hosts/{domain}/evidence/{root}', { params, parseAs: 'arrayBuffer' });
}

function reportOf(service: Hostprobe, domain: string, sha256: string) {
  const params = { path: { domain, sha256 } };
  return service.GET('/api/v1/hosts/{domain}/reports/{sha256}', { params, parseAs: 'arrayBuffer' });
}

/** Saves the fetched files. @returns how to verify them offline */
function saved(folder: string, files: Readonly<Record<'bundle' | 'statement' | 'keys' | 'report', Buffer | string>>) {
  mkdirSync(folder, { recursive: true });
  const save = (name: string, content: Buffer | string): string => {
    writeFileSync(join(folder, name), content);
    return oneLine(join(folder, name));
  };
  const bundle = save('evidence.jsonl', files.bundle);
  const statement = save('statement.jwt', files.statement);
  const [keys, report] = [save('keys.json', files.keys), save('report.json', files.report)];
  return `to verify again offline: hostprobe verify ${bundle} --statement ${statement} --keys ${keys} --report ${report}\n`;
}
