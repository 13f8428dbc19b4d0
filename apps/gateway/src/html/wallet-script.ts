/**
 * The script that buys a live probe with the wallet of the browser (EIP-1193), as it is sent. It asks the wallet for one
 * signature over the price that the page shows (EIP-3009 as EIP-712), sends the same payment until it is answered, tells
 * what the probe asks for meanwhile, and shows the new report in the same page.
 */
export const WALLET_SCRIPT = `'use strict';
(() => {
  const TRIES = 6;
  const NO_ANSWER = [502, 503, 504];
  const WORDS = { 4001: 'You declined in the wallet. Nothing was paid.', 4902: 'The wallet does not know the network of the payment. Nothing was paid.' };
  const AUTHORIZATION = { from: 'address', to: 'address', value: 'uint256', validAfter: 'uint256', validBefore: 'uint256', nonce: 'bytes32' };
  const DOMAIN = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address' };

  const members = (types) => Object.entries(types).map(([name, type]) => ({ name, type }));
  const pause = (seconds) => new Promise((done) => { setTimeout(done, seconds * 1000); });
  const decoded = (text) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (one) => one.charCodeAt(0))));
  const encoded = (value) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
  const hex = (bytes) => '0x' + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const say = (text) => { document.getElementById('pay-said').textContent = text; };

  async function reasonOf(answer) {
    const { error } = await answer.json().catch(() => ({}));
    return error ? error[0].toUpperCase() + error.slice(1) + '.' : 'The service did not answer.';
  }

  /** The terms of the service, when they are the ones that the page shows. */
  async function termsOf(url, price) {
    const answer = await fetch(url, { cache: 'no-store' });
    if (answer.status !== 402) throw new Error(await reasonOf(answer));
    const challenge = decoded(answer.headers.get('payment-required'));
    const accepted = challenge.accepts.find(({ scheme, network }) => scheme === 'exact' && network.startsWith('eip155:'));
    if (!accepted || accepted.amount !== String(Math.round(Number(price) * 1e6))) {
      throw new Error('The service asks for another price than this page shows. Nothing was paid; load the page again.');
    }
    return { challenge, accepted };
  }

  async function signedBy(wallet, { challenge: { resource, extensions }, accepted }) {
    const [from] = await wallet.request({ method: 'eth_requestAccounts' });
    const chainId = Number(accepted.network.split(':')[1]);
    const chain = '0x' + chainId.toString(16);
    if ((await wallet.request({ method: 'eth_chainId' })) !== chain) {
      await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] });
    }
    const now = Math.floor(Date.now() / 1000);
    const authorization = {
      from, to: accepted.payTo, value: accepted.amount, validAfter: String(now - 600),
      validBefore: String(now + accepted.maxTimeoutSeconds), nonce: hex(crypto.getRandomValues(new Uint8Array(32))),
    };
    const data = {
      types: { EIP712Domain: members(DOMAIN), TransferWithAuthorization: members(AUTHORIZATION) },
      primaryType: 'TransferWithAuthorization',
      domain: { name: accepted.extra.name, version: accepted.extra.version, chainId, verifyingContract: accepted.asset },
      message: authorization,
    };
    const signature = await wallet.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(data)] });
    return encoded({ x402Version: 2, resource, accepted, payload: { signature, authorization }, extensions });
  }

  /** The same payment is charged once, however often it is sent: so it is sent until it is answered. */
  async function bought(url, payment) {
    for (let turn = 1; ; turn += 1) {
      const answer = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment }, cache: 'no-store' }).catch(() => undefined);
      if (answer && (turn === TRIES || !NO_ANSWER.includes(answer.status))) return answer;
      if (turn === TRIES) throw new Error('No answer came. If you were charged, the report of this host is new in a moment.');
      await pause(Math.min(Number(answer && answer.headers.get('retry-after')) || 2, 10));
    }
  }

  /** Tells what the probe asks for, from when it begins until it is over. */
  async function follow(domain, isOver) {
    for (let turn = 0; turn < TRIES && !isOver(); turn += 1) {
      const answer = await fetch('/api/v1/hosts/' + domain + '/run', { cache: 'no-store' }).catch(() => undefined);
      const { run } = answer && answer.ok ? await answer.json() : {};
      if (!run) { await pause(0.5); continue; }
      const source = new EventSource(run.events);
      source.addEventListener('asking', ({ data }) => {
        const { phase, protocols } = JSON.parse(data);
        if (isOver()) source.close();
        else if (protocols.length > 0) say('Asking for ' + protocols.join(', ') + '…');
        else if (phase === 'callability') say('Trying what the host declares…');
      });
      for (const end of ['end', 'error']) source.addEventListener(end, () => source.close());
      return;
    }
  }

  async function showReport() {
    const answer = await fetch(location.pathname, { cache: 'reload', headers: { accept: 'text/html' } });
    const { title, body } = new DOMParser().parseFromString(await answer.text(), 'text/html');
    document.title = title;
    document.getElementById('main').replaceWith(document.adoptNode(body.querySelector('main')));
    document.dispatchEvent(new Event('replaced'));
    document.getElementById('main').focus();
  }

  async function pay({ dataset: { domain, price } }) {
    const url = '/api/v1/hosts/' + domain + '/refresh';
    const terms = await termsOf(url, price);
    say('Your wallet asks for a signature…');
    const payment = await signedBy(window.ethereum, terms);
    say('Signed. The payment is checked and the probe begins…');
    let isOver = false;
    void follow(domain, () => isOver);
    const answer = await bought(url, payment).finally(() => { isOver = true; });
    if (answer.status !== 200) throw new Error(await reasonOf(answer));
    const receipt = answer.headers.get('payment-response');
    await showReport();
    const { transaction } = receipt ? decoded(receipt) : {};
    say('This is the new report. You paid ' + price + ' USD' + (transaction ? ' (transaction ' + transaction + ').' : '.'));
  }

  document.addEventListener('click', async ({ target }) => {
    const button = target.closest && target.closest('#pay');
    if (!button || button.disabled) return;
    button.disabled = true;
    try {
      await pay(button);
    } catch (error) {
      say(WORDS[error.code] || error.message || 'The wallet refused. Nothing was paid.');
    } finally {
      button.disabled = false;
    }
  });

  const offer = () => {
    const button = document.getElementById('pay');
    if (button) button.hidden = !window.ethereum;
  };
  document.addEventListener('replaced', offer);
  addEventListener('ethereum#initialized', offer);
  offer();
})();
`;
