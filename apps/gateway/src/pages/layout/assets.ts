import { createHash } from 'node:crypto';
import { PAGE_SCRIPT } from './page-script';
import { PAGE_STYLE } from './page-style';

/** A file of ours that pages load. Its name changes with its content, so it may be kept for ever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: string;
}

export const STYLE = asset('css', 'text/css; charset=utf-8', PAGE_STYLE);
export const SCRIPT = asset('js', 'text/javascript; charset=utf-8', PAGE_SCRIPT);
export const ICON = asset(
  'svg',
  'image/svg+xml',
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="#0b5d57"/>' +
    '<circle cx="8" cy="8" r="2.6" fill="#fff"/></svg>',
);

export function findAsset(path: string): Asset | undefined {
  return [STYLE, SCRIPT, ICON].find((known) => known.path === path);
}

function asset(extension: string, type: string, content: string): Asset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/assets/${hash}.${extension}`, type, content };
}
