import { VERSION } from '@app/config';
import { html, type Html } from '../html/html';
import { ICON, SCRIPT, STYLE } from './assets';

/** What one page puts into the frame that all pages share. */
export interface PageContent {
  readonly title: string;
  /** For search engines and link previews. */
  readonly description: string;
  readonly canonical?: string;
  /** Host whose change feeds belong to the page. */
  readonly feeds?: string;
  /** False keeps the page out of search engines. */
  readonly indexed?: boolean;
  /** The start page has a search field of its own. */
  readonly search?: false;
  readonly body: Html;
}

/** A whole HTML document. */
export type Page = string;

export function page(content: PageContent): Page {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        ${head(content)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="site">
          <a class="brand" href="/"><span aria-hidden="true">◉</span> hostprobe</a>
          ${content.search !== false && searchField('Host name')}
          <nav aria-label="Site">
            <a href="/pricing">Pricing</a>
            <a href="/docs">API</a>
          </nav>
        </header>
        <main id="main" tabindex="-1">${content.body}</main>
        <footer class="site">
          <p>hostprobe ${VERSION}. Verdicts rest on what a host answered, and show it.</p>
          <nav aria-label="More">
            <a href="/prober">About the prober</a>
            <a href="/errors">Errors</a>
            <a href="/pricing">Pricing</a>
            <a href="/docs">API reference</a>
          </nav>
        </footer>
        <p id="said" class="said" role="status"></p>
      </body>
    </html>`.markup
  }\n`;
}

/** Works without a script: a form that GETs /hosts?domain=. */
export function searchField(label: string, value = ''): Html {
  return html`<form class="search" role="search" action="/hosts" method="get">
    <label class="unseen" for="domain">${label}</label>
    <input
      id="domain"
      name="domain"
      type="text"
      inputmode="url"
      autocapitalize="none"
      autocomplete="off"
      spellcheck="false"
      placeholder="shop.example.com"
      maxlength="300"
      value="${value}"
      required
    />
    <button type="submit">Look up</button>
  </form>`;
}

function head({ title, description, canonical, feeds, indexed }: PageContent): Html {
  return html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} | hostprobe</title>
    <meta name="description" content="${description}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:type" content="website" />
    <meta name="color-scheme" content="light dark" />
    ${indexed === false && html`<meta name="robots" content="noindex" />`}
    ${canonical !== undefined && html`<link rel="canonical" href="${canonical}" />`}
    ${
      feeds !== undefined &&
      html`<link
          rel="alternate"
          type="application/atom+xml"
          title="Changes of ${feeds}"
          href="/hosts/${feeds}/changes.atom"
        />
        <link
          rel="alternate"
          type="application/feed+json"
          title="Changes of ${feeds}"
          href="/hosts/${feeds}/changes.json"
        />
        <link rel="alternate" type="application/json" href="/api/v1/hosts/${feeds}" />`
    }
    <link rel="icon" type="image/svg+xml" href="${ICON.path}" />
    <link rel="stylesheet" href="${STYLE.path}" />
    <script src="${SCRIPT.path}" defer></script>`;
}
