import { html } from '../http/html';
import { definePage } from './page-definition';
import { FREE, NEVER_CHARGED, priceEntries } from './price-table';

export const pricing = definePage({
  path: '/pricing',
  operationId: 'pricing',
  summary: 'Pricing',
  content: ({ site }) => ({
    title: 'Pricing',
    description: 'What is free, what each call costs in USDC, and what is never charged.',
    canonical: `${site.baseUrl}/pricing`,
    body: html`<header class="plain-head">
        <h1>Pricing</h1>
        <p>
          Stored reports are free. Live probes and checks are paid per call, in USDC over x402. No account, API key or
          invoice.
        </p>
      </header>
      <section aria-labelledby="free">
        <h2 id="free">Free</h2>
        <ul class="plain">
          ${FREE.map((line) => html`<li>${line}</li>`)}
        </ul>
      </section>
      <section aria-labelledby="live">
        <h2 id="live">Paid per call</h2>
        <ul class="products">
          ${priceEntries(site).map(
            ({ what, description, price, request }) =>
              html`<li>
                <h3>${what}</h3>
                <p class="amount">${price}</p>
                <p>${description}.</p>
                <code>${request}</code>
              </li>`,
          )}
        </ul>
      </section>
      <section aria-labelledby="never">
        <h2 id="never">Never charged</h2>
        <dl class="never">
          ${NEVER_CHARGED.map(
            ([when, response]) =>
              html`<div>
                <dt>${when}</dt>
                <dd>${response}</dd>
              </div>`,
          )}
        </dl>
        <p>
          A probe of a host that is down still gives you a result, <code>reachable: false</code>, and <em>is</em>
          charged.
        </p>
      </section>
      <section aria-labelledby="how">
        <h2 id="how">How to pay</h2>
        <ol>
          <li>Send the request without a payment. The 402 response states the price and the recipient.</li>
          <li>Sign a USDC authorization for exactly that amount.</li>
          <li>
            Send the request again with the authorization in <code>PAYMENT-SIGNATURE</code>. It is settled only when
            your answer is ready.
          </li>
        </ol>
        <pre tabindex="0" aria-label="Example">curl -i ${site.baseUrl}/api/v1/hosts/shop.example.com/refresh</pre>
        <p>
          Any x402 client does all three steps. <a href="/errors">What each error means, and whether it is charged</a>
        </p>
      </section>`,
  }),
});
