import { html, type Html } from '../html/html';

/** Copies the text of the element `of`. Hidden until the script is there: without it nothing would happen. */
export function copyButton(of: string, label: string): Html {
  return html`<button type="button" class="copy" data-copy="${of}" hidden>${label}</button>`;
}
