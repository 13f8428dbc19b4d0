import { html } from '../html/html';
import { page, type Page } from '../layout/page';
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

export function apiReferencePage(): Page {
  return page({
    title: 'API reference',
    description: 'Every route of hostprobe, from its OpenAPI document.',
    body: html`<header class="plain-head">
        <h1>API reference</h1>
        <p>
          From the <a href="/openapi.json">OpenAPI document</a>. For agents: MCP at <code>/api/v1/mcp</code>. See also
          <a href="/pricing">prices</a> and <a href="/errors">errors</a>.
        </p>
        <noscript><p class="note">The reference needs a script; the OpenAPI document does not.</p></noscript>
      </header>
      <div class="reference">
        <script id="api-reference" data-url="/openapi.json" data-configuration="${CONFIGURATION}"></script>
        <script src="/docs/reference.js" defer></script>
      </div>`,
  });
}
