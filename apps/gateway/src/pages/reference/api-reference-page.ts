import { html } from '../html/html';
import { ICON } from '../layout/assets';
import type { Page } from '../layout/page';
import { PAGE_CSP } from '../layout/page-response';

/** The library writes its styles into the page, and asks our own API. It gets that here, and nothing elsewhere. */
export const API_REFERENCE_CSP = PAGE_CSP.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
  .replace("img-src 'self'", "img-src 'self' data:")
  .concat("; connect-src 'self'; font-src 'self' data:");

/** No fonts, proxies or accounts from elsewhere: the page works without any other host. */
const CONFIGURATION = JSON.stringify({
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
});

/** A page of its own: the library styles everything in it. */
export function apiReferencePage(): Page {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>API reference | hostprobe</title>
        <link rel="icon" type="image/svg+xml" href="${ICON.path}" />
      </head>
      <body>
        <noscript>
          <h1>API reference</h1>
          <p>This page needs a script; the <a href="/openapi.json">OpenAPI document</a> it shows does not.</p>
          <p><a href="/">Start page</a> <a href="/pricing">Prices</a> <a href="/errors">Errors</a></p>
        </noscript>
        <script id="api-reference" data-url="/openapi.json" data-configuration="${CONFIGURATION}"></script>
        <script src="/docs/reference.js"></script>
      </body>
    </html>`.markup
  }\n`;
}
