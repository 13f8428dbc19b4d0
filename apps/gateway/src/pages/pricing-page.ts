import { html } from '../http/html';
import { definePage } from './page-definition';
import { FREE_THINGS, NEVER_CHARGED, paidThings } from './price-table';

/** Prices, how they are paid, and when nothing is charged. */
export const pricing = definePage({
  path: '/pricing',
  operationId: 'pricing',
  summary: 'What costs how much',
  content: ({ site }) => ({
    title: 'Prices',
    description: 'What is free, what costs what in USDC, and when nothing is charged.',
    canonical: `${site.baseUrl}/pricing`,
    body: html`<header class="plain-head">
        <h1>Prices</h1>
        <p>
          Stored reports are free. Live probes and checks are paid per call, in USDC through x402: no account, no key,
          no invoice.
        </p>
      </header>
      <section aria-labelledby="free">
        <h2 id="free">Free</h2>
        <ul class="plain">
          ${FREE_THINGS.map((thing) => html`<li>${thing}</li>`)}
        </ul>
      </section>
      <section aria-labelledby="live">
        <h2 id="live">Paid per call</h2>
        <ul class="products">
          ${paidThings(site).map(
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
            ([what, answer]) =>
              html`<div>
                <dt>${what}</dt>
                <dd>${answer}</dd>
              </div>`,
          )}
        </dl>
        <p>
          A finished probe of a host that does not answer <em>is</em> an answer, <code>reachable: false</code>, and is
          charged.
        </p>
      </section>
      <section aria-labelledby="how">
        <h2 id="how">How to pay</h2>
        <ol>
          <li>Send the request without a payment. The answer is 402 with the price and the address to pay to.</li>
          <li>Sign a USDC authorization for exactly that. Any x402 client does both steps.</li>
          <li>
            Send the request again with it in <code>PAYMENT-SIGNATURE</code>. It is settled only when your answer is
            ready.
          </li>
        </ol>
        <pre tabindex="0" aria-label="Example">curl -i ${site.baseUrl}/api/v1/hosts/shop.example.com/refresh</pre>
        <p>What each error means, and whether it was charged: <a href="/errors">errors</a>.</p>
      </section>`,
  }),
});
