import { VERSION } from '@app/config';
import { Html, html } from '../../http/html';
import { ICON, SCRIPT, STYLE } from './assets';

/** The size that readers of Open Graph tags (https://ogp.me) expect, in pixels. */
export const PREVIEW = { width: 1200, height: 630 } as const;

/** The content of one page; `page` puts it into the layout that all pages share. */
export interface PageContent {
  readonly title: string;
  /** For search engines and link previews. */
  readonly description: string;
  readonly canonical?: string;
  /** A picture for shared links, of the size of `PREVIEW`. */
  readonly image?: string;
  /** The host whose change feeds the page links to. */
  readonly feeds?: string;
  /** Path of a script that only this page loads. */
  readonly script?: string;
  /** Without a script, the page reloads after this many seconds. */
  readonly reloadSec?: number;
  /** False keeps the page out of search engines. */
  readonly indexed?: boolean;
  /** False leaves out the search field, because the start page has its own. */
  readonly search?: false;
  readonly body: Html;
}

/** Renders the content of one page as an HTML document. */
export type Layout = (content: PageContent) => string;

export type Links = readonly (readonly [path: string, label: string])[];

export function page(content: PageContent, header: Links, footer: Links): string {
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        ${head(content)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="site">
          <a class="brand" href="/"><span aria-hidden="true">◉</span> hostprobe</a>
          ${content.search !== false && searchField()}
          <nav aria-label="Site">${anchors(header)}</nav>
        </header>
        <main id="main" tabindex="-1">${content.body}</main>
        <footer class="site">
          <p>hostprobe ${VERSION}. Every result comes with the response it is based on.</p>
          <nav aria-label="More">${anchors(footer)}</nav>
        </footer>
        <p id="said" class="said" role="status"></p>
      </body>
    </html>`.markup
  }\n`;
}

/** A form that GETs `/hosts?domain=`, so that it works without a script. */
export function searchField(value = ''): Html {
  return html`<form class="search" role="search" action="/hosts" method="get">
    <label class="unseen" for="domain">Host name</label>
    ${hostInput('domain', value)}
    <button type="submit">Check</button>
  </form>`;
}

/** A field for the name of a host. @param name its name in the form, and its id */
export function hostInput(name: string, value: string): Html {
  return html`<input
    id="${name}"
    name="${name}"
    type="text"
    inputmode="url"
    autocapitalize="none"
    autocomplete="off"
    spellcheck="false"
    placeholder="shop.example.com"
    maxlength="300"
    value="${value}"
    required
  />`;
}

/** Copies the text of the element `of`. The script shows the button: without the script it would do nothing. */
export function copyButton(of: string, label: string): Html {
  return html`<button type="button" class="copy" data-copy="${of}" hidden>${label}</button>`;
}

// prettier-ignore
function anchors(links: Links): Html {
  return html`${links.map(([path, label]) => html`
            <a href="${path}">${label}</a>`)}
          `;
}

function head({ title, description, canonical, image, feeds, indexed, reloadSec, script }: PageContent): Html {
  return html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} | hostprobe</title>
    <meta name="description" content="${description}" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="hostprobe" />
    ${canonical !== undefined && html`<meta property="og:url" content="${canonical}" />`}
    ${
      image !== undefined &&
      html`<meta property="og:image" content="${image}" />
        <meta property="og:image:width" content="${PREVIEW.width}" />
        <meta property="og:image:height" content="${PREVIEW.height}" />
        <meta name="twitter:card" content="summary_large_image" />`
    }
    <meta name="color-scheme" content="light dark" />
    ${indexed === false && html`<meta name="robots" content="noindex" />`}
    ${canonical !== undefined && html`<link rel="canonical" href="${canonical}" />`}
    ${
      feeds !== undefined &&
      html`<link
          rel="alternate"
          type="application/atom+xml"
          title="Changes at ${feeds}"
          href="/hosts/${feeds}/changes.atom"
        />
        <link
          rel="alternate"
          type="application/feed+json"
          title="Changes at ${feeds}"
          href="/hosts/${feeds}/changes.json"
        />
        <link rel="alternate" type="application/json" href="/api/v1/hosts/${feeds}" />`
    }
    <link rel="sitemap" type="application/xml" href="/sitemap.xml" />
    <link rel="icon" href="/favicon.ico" sizes="32x32" />
    <link rel="icon" type="image/svg+xml" href="${ICON.path}" />
    ${new Html(`<style>${STYLE}</style>`)}
    <script src="${SCRIPT.path}" defer></script>
    ${[
      script !== undefined && html`<script src="${script}" defer></script>`,
      reloadSec !== undefined && html`<noscript><meta http-equiv="refresh" content="${reloadSec}" /></noscript>`,
    ]}`;
}
