import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkScript } from './check-script';
import { PAGE_SCRIPT } from './page-script';
import { rootAbove } from './project-root';
import { WALLET_SCRIPT as PAYING } from './wallet-script';

export const SCRIPT = asset('js', 'text/javascript; charset=utf-8', PAGE_SCRIPT);
export const ICON = asset(
  'svg',
  'image/svg+xml',
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#0b5d57"/>' +
    '<circle cx="8" cy="8" r="2.6" fill="#fff"/></svg>',
);

/** The verifier that anybody can copy, as it is published. */
const VERIFIER = asset(
  'mjs',
  'text/javascript; charset=utf-8',
  readFileSync(join(rootAbove(__dirname), 'docs/verify/verify.mjs'), 'utf8'),
);
export const CHECK_SCRIPT = asset('mjs', 'text/javascript; charset=utf-8', checkScript(VERIFIER.path));

export const WALLET_SCRIPT = asset('js', 'text/javascript; charset=utf-8', PAYING);

/** The files that pages load. */
export const ASSETS = [SCRIPT, ICON, VERIFIER, CHECK_SCRIPT, WALLET_SCRIPT];

/** The name of a file changes with its content, so it may be kept for ever. */
function asset(extension: string, type: string, content: string) {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/assets/${hash}.${extension}`, type, content, etag: `"${hash}"` };
}
