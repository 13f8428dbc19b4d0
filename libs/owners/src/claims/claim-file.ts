import { url } from '@app/reports';
import { z } from 'zod';
import { defineProof, type HostAnswer } from './proof';

const FILE_BYTES = 4_096;

const SENTENCES = {
  found: 'found',
  absent: 'not found',
  redirected: 'the URL redirects, and redirects are not followed',
  not_text: 'found, but not served as text/plain',
  too_large: 'too large',
  unknown: 'the host did not respond',
} as const;

/** A file on the host, which anybody who controls its web server can publish. */
export const claimFile = defineProof({
  noun: 'a file',
  published: { file: z.object({ url, content: z.string() }).describe('Or the file to publish, as text/plain.') },
  publish: (domain, challenge) => ({ file: { url: urlOf(domain), content: challenge } }),
  found: { file: z.enum(Object.keys(SENTENCES) as (keyof typeof SENTENCES)[]) },
  source: 'document',
  at: urlOf,
  read: ({ document }, challenge) => ({ file: outcomeOf(document, challenge) }),
  levels: ['http'],
  levelOf: ({ file }) => (file === 'found' ? 'http' : file === 'unknown' ? 'unknown' : null),
  heading: 'Or a file',
  note: 'Serve it as text/plain, without a redirect. A claim by file expires after 30 days.',
  copies: ({ file }) => [
    ['file-url', 'Address', file.url],
    ['file-content', 'Content', file.content],
  ],
  rows: ({ file }) => [['File', SENTENCES[file]]],
});

function urlOf(domain: string): string {
  return `https://${domain}/.well-known/hostprobe-claim.txt`;
}

/** Whether the file contains the challenge and otherwise only white space. */
function outcomeOf(answer: HostAnswer | undefined, challenge: string): keyof typeof SENTENCES {
  if (!answer) return 'unknown';
  const { status, headers, body, bytes } = answer;
  if (status >= 300 && status < 400) return 'redirected';
  // The host refuses or fails, so the file may still exist.
  if ([401, 403, 408, 429].includes(status) || status >= 500) return 'unknown';
  if (status !== 200) return 'absent';
  if (bytes > FILE_BYTES) return 'too_large';
  const contentType = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (!/^text\/plain(?:\s*;|\s*$)/i.test(contentType)) return 'not_text';
  return body.trim() === challenge ? 'found' : 'absent';
}
