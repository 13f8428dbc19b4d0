/*
 * The script of all pages. Pages work without it; it adds copy buttons, opens evidence that a link points to, and shows
 * how long ago something happened.
 */
const said = /** @type {HTMLElement} */ (document.getElementById('said'));

/** @param {string} text */
async function copy(text) {
  // Browsers offer the clipboard API only over https.
  if (/** @type {Partial<Navigator>} */ (navigator).clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way without https
  const done = document.execCommand('copy');
  field.remove();
  if (!done) throw new Error('not copied');
}

/** @param {HTMLButtonElement} button */
function offerCopy(button) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', () => {
    const copied = copy(document.getElementById(button.dataset['copy'] ?? '')?.textContent ?? '');
    void copied
      .then(
        () => ['Copied', 'Copied to the clipboard'],
        () => ['Not copied', 'Your browser blocked copying'],
      )
      .then(([short = '', long = '']) => {
        button.textContent = short;
        said.textContent = long;
        setTimeout(() => {
          button.textContent = label;
          said.textContent = '';
        }, 2000);
      });
  });
}

function openTarget() {
  const details = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest('details');
  if (!details) return;
  details.open = true;
  details.scrollIntoView();
  details.querySelector('summary')?.focus({ preventScroll: true });
}

const UNITS = /** @type {const} */ ([
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
]);
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** @param {HTMLTimeElement} time */
function showAge(time) {
  const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  const ago = document.createElement('span');
  ago.className = 'ago';
  ago.textContent = unit ? words.format(Math.trunc(seconds / unit[1]), unit[0]) : 'just now';
  time.after(' ', ago);
}

function enhance() {
  for (const button of document.querySelectorAll('button[data-copy]')) {
    offerCopy(/** @type {HTMLButtonElement} */ (button));
  }
  for (const time of document.querySelectorAll('time[data-ago]')) showAge(/** @type {HTMLTimeElement} */ (time));
}

addEventListener('hashchange', openTarget);
openTarget();
// A probe replaces the content of the page.
document.addEventListener('replaced', enhance);
enhance();
