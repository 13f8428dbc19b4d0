/*
 * Buys a live probe with the browser wallet (EIP-1193). It asks the wallet for one signature over the price that the page
 * shows (EIP-3009 as EIP-712), sends the payment until it gets an answer, shows the progress of the probe, and then
 * replaces the report in the page.
 */

/** @typedef {{ request(call: { method: string, params?: unknown[] }): Promise<unknown> }} Wallet */
/**
 * @typedef {object} Option
 * @property {string} scheme
 * @property {string} network
 * @property {string} amount
 * @property {string} asset
 * @property {string} payTo
 * @property {number} maxTimeoutSeconds
 * @property {{ name: string, version: string }} extra
 */
/** @typedef {{ resource: unknown, extensions: unknown, accepts: Option[] }} Challenge */
/** @typedef {{ challenge: Challenge, accepted: Option }} Terms */

const TRIES = 6;
const NO_ANSWER = [502, 503, 504];
/** @type {Record<string, string>} */
const WORDS = {
  4001: 'You declined the payment. Nothing was paid.',
  4902: 'Your wallet does not support the payment network. Nothing was paid.',
};
const AUTHORIZATION = {
  from: 'address',
  to: 'address',
  value: 'uint256',
  validAfter: 'uint256',
  validBefore: 'uint256',
  nonce: 'bytes32',
};
const DOMAIN = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address' };

/** @param {Record<string, string>} types */
const members = (types) => Object.entries(types).map(([name, type]) => ({ name, type }));
/** @param {number} seconds */
const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
/** @param {string} text @returns {unknown} */
const decoded = (text) =>
  JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0))));
/** @param {unknown} value */
const encoded = (value) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
/** @param {Uint8Array} bytes */
const hex = (bytes) => '0x' + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const walletHere = () => /** @type {{ ethereum?: Wallet }} */ (/** @type {unknown} */ (window)).ethereum;
const payButton = () => /** @type {HTMLButtonElement | null} */ (document.getElementById('pay'));

/** @param {string} text */
function say(text) {
  const line = document.getElementById('pay-said');
  if (line) line.textContent = text;
}

/** @param {Response} answer */
async function reasonOf(answer) {
  const { error } = /** @type {{ error?: string }} */ (await answer.json().catch(() => ({})));
  return error ?? 'The service did not answer.';
}

/**
 * Fetches the payment terms, and checks that they match the price on the page.
 * @param {string} url
 * @param {string} price
 * @returns {Promise<Terms>}
 */
async function termsOf(url, price) {
  const answer = await fetch(url, { cache: 'no-store' });
  if (answer.status !== 402) throw new Error(await reasonOf(answer));
  const challenge = /** @type {Challenge} */ (decoded(answer.headers.get('payment-required') ?? ''));
  const accepted = challenge.accepts.find(({ scheme, network }) => scheme === 'exact' && network.startsWith('eip155:'));
  if (!accepted || accepted.amount !== String(Math.round(Number(price) * 1e6))) {
    throw new Error('The price has changed since this page was loaded. Nothing was paid. Reload the page.');
  }
  return { challenge, accepted };
}

/**
 * @param {Wallet} wallet
 * @param {Terms} terms
 */
async function signedBy(wallet, { challenge: { resource, extensions }, accepted }) {
  const [from] = /** @type {string[]} */ (await wallet.request({ method: 'eth_requestAccounts' }));
  const chainId = Number(accepted.network.split(':')[1]);
  const chain = '0x' + chainId.toString(16);
  if ((await wallet.request({ method: 'eth_chainId' })) !== chain) {
    await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chain }] });
  }
  const now = Math.floor(Date.now() / 1000);
  const authorization = {
    from,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: String(now - 600),
    validBefore: String(now + accepted.maxTimeoutSeconds),
    nonce: hex(crypto.getRandomValues(new Uint8Array(32))),
  };
  const { name, version } = accepted.extra;
  const data = {
    types: { EIP712Domain: members(DOMAIN), TransferWithAuthorization: members(AUTHORIZATION) },
    primaryType: 'TransferWithAuthorization',
    domain: { name, version, chainId, verifyingContract: accepted.asset },
    message: authorization,
  };
  const signature = await wallet.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(data)] });
  return encoded({ x402Version: 2, resource, accepted, payload: { signature, authorization }, extensions });
}

/**
 * Sends the payment until it gets an answer: the service charges the same payment only once.
 * @param {string} url
 * @param {string} payment
 */
async function bought(url, payment) {
  for (let turn = 1; ; turn += 1) {
    const headers = { 'PAYMENT-SIGNATURE': payment };
    const answer = await fetch(url, { headers, cache: 'no-store' }).catch(() => undefined);
    if (answer && (turn === TRIES || !NO_ANSWER.includes(answer.status))) return answer;
    if (turn === TRIES) {
      throw new Error(
        'The service did not respond. If you were charged, reload this page in a moment to see the new report.',
      );
    }
    await pause(Math.min(Number(answer?.headers.get('retry-after')) || 2, 10));
  }
}

/**
 * Shows the progress of the probe until it ends.
 * @param {string} domain
 * @param {() => boolean} isOver
 */
async function follow(domain, isOver) {
  for (let turn = 0; turn < TRIES && !isOver(); turn += 1) {
    const answer = await fetch('/api/v1/hosts/' + domain + '/run', { cache: 'no-store' }).catch(() => undefined);
    const { run } = /** @type {{ run?: { events: string } }} */ (answer?.ok ? await answer.json() : {});
    if (!run) {
      await pause(0.5);
      continue;
    }
    const source = new EventSource(run.events);
    source.addEventListener('asking', ({ data }) => {
      const { phase, protocols } = /** @type {{ phase: string, protocols: string[] }} */ (JSON.parse(String(data)));
      if (isOver()) source.close();
      else if (protocols.length > 0) say('Checking ' + protocols.join(', ') + '…');
      else if (phase === 'callability') say('Testing live endpoints…');
    });
    for (const end of ['end', 'error'])
      source.addEventListener(end, () => {
        source.close();
      });
    return;
  }
}

async function showReport() {
  const answer = await fetch(location.pathname, { cache: 'reload', headers: { accept: 'text/html' } });
  const { title, body } = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const main = /** @type {HTMLElement} */ (body.querySelector('main'));
  document.title = title;
  document.getElementById('main')?.replaceWith(document.adoptNode(main));
  document.dispatchEvent(new Event('replaced'));
  main.focus();
}

/**
 * @param {string} explorer the address before the name of a transaction; empty for a network without an explorer
 * @param {string} transaction
 */
function showTransaction(explorer, transaction) {
  const name = document.createElement(explorer ? 'a' : 'code');
  name.textContent = transaction;
  if (name instanceof HTMLAnchorElement) {
    name.href = explorer + encodeURIComponent(transaction);
    name.rel = 'noreferrer';
  }
  document.getElementById('pay-said')?.append(name, ').');
}

/** @param {HTMLButtonElement} button */
async function pay({ dataset: { domain = '', price = '', explorer = '' } }) {
  const url = '/api/v1/hosts/' + domain + '/refresh';
  const terms = await termsOf(url, price);
  say('Sign the payment in your wallet…');
  const payment = await signedBy(/** @type {Wallet} */ (walletHere()), terms);
  say('Payment signed. Starting the probe…');
  let isOver = false;
  void follow(domain, () => isOver);
  const answer = await bought(url, payment).finally(() => {
    isOver = true;
  });
  if (answer.status !== 200) throw new Error(await reasonOf(answer));
  const receipt = answer.headers.get('payment-response');
  await showReport();
  const { transaction } = /** @type {{ transaction?: string }} */ (receipt ? decoded(receipt) : {});
  say('Report updated. You paid $' + price + (transaction ? ' (transaction ' : '.'));
  if (transaction) showTransaction(explorer, transaction);
}

document.addEventListener('click', ({ target }) => {
  const button = payButton();
  if (!button || button.disabled || !(target instanceof Node && button.contains(target))) return;
  button.disabled = true;
  void pay(button)
    .catch((/** @type {unknown} */ error) => {
      const { code = 0, message } = /** @type {{ code?: number, message?: string }} */ (error);
      say(WORDS[code] ?? (message || 'The wallet refused to sign. Nothing was paid.'));
    })
    .finally(() => {
      button.disabled = false;
    });
});

function offer() {
  const button = payButton();
  if (button) button.hidden = !walletHere();
}
document.addEventListener('replaced', offer);
addEventListener('ethereum#initialized', offer);
offer();
