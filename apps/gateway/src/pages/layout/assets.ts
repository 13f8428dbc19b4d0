import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootAbove } from './project-root';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** The style is inlined in each page, which saves a slow connection a round trip before the first paint. */
export const STYLE = pageFile('page.css');
export const SCRIPT = asset('js', JAVASCRIPT, pageFile('page.js'));
export const WALLET_SCRIPT = asset('js', JAVASCRIPT, pageFile('wallet.js'));
export const PROGRESS_SCRIPT = asset('js', JAVASCRIPT, pageFile('progress.js'));
export const VERIFY_SCRIPT = asset('js', JAVASCRIPT, pageFile('verify.js'));
/** The letters of preview images. */
export const GLYPHS = pageFile('glyphs.json');
export const ICON = asset(
  'svg',
  'image/svg+xml',
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#0b5d57"/>' +
    '<circle cx="8" cy="8" r="2.6" fill="#fff"/></svg>',
);

/** The files that pages load. */
export const ASSETS = [SCRIPT, WALLET_SCRIPT, PROGRESS_SCRIPT, VERIFY_SCRIPT, ICON];

/** A file of `apps/gateway/browser`, as `scripts/page-files.mjs` bundled it. */
function pageFile(name: string): string {
  return readFileSync(join(rootAbove(__dirname), 'dist/pages', name), 'utf8');
}

/** The name of a file contains the hash of its content, so that it can be cached forever. */
function asset(extension: string, type: string, content: string) {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/assets/${hash}.${extension}`, type, content, etag: `"${hash}"` };
}
