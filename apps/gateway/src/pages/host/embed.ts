import { html, type Html } from '../html/html';
import { copyButton } from './copy-button';

/** The badge and how to put it on another page. */
export function embedding(domain: string, baseUrl: string): Html {
  const page = `${baseUrl}/hosts/${domain}`;
  const image = `${baseUrl}/badge/${domain}.svg`;
  const alt = `hostprobe report of ${domain}`;
  const snippets = [
    ['HTML', `<a href="${page}"><img src="${image}" alt="${alt}"></a>`],
    ['Markdown', `[![${alt}](${image})](${page})`],
    ['Address', image],
  ] as const;
  return html`<p><img class="badge" src="/badge/${domain}.svg" alt="Badge: ${alt}" height="20" /></p>
    <p class="soft">
      It shows the date of the look and turns grey after a day. Add <code>?protocol=x402</code> for one protocol.
    </p>
    ${snippets.map(
      ([name, snippet]) =>
        html`<div class="copyable">
          <span class="label">${name}</span>
          <pre id="embed-${name.toLowerCase()}" tabindex="0" aria-label="${name} of the badge">${snippet}</pre>
          ${copyButton(`embed-${name.toLowerCase()}`, 'Copy')}
        </div>`,
    )}`;
}
