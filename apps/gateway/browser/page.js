/*
 * The script of all pages. Pages work without it; it adds copy buttons, opens evidence that a link points to, and shows
 * how long ago something happened.
 */
import { relativeTime } from './relative-time';

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
  // Evidence may be in a folded section.
  for (const one of document.querySelectorAll('details')) if (one.contains(details)) one.open = true;
  details.scrollIntoView();
  details.querySelector('summary')?.focus({ preventScroll: true });
}

/** @param {HTMLTimeElement} time */
function showAge(time) {
  const age = relativeTime(Date.parse(time.dateTime));
  if (time.dataset['ago'] === 'only') {
    time.textContent = age;
    return;
  }
  const ago = document.createElement('span');
  ago.className = 'ago';
  ago.textContent = age;
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
