/**
 * The one script of the pages, as it is sent. Everything it does is an extra: copy buttons, evidence that opens when it
 * is linked to, and how long ago a moment was.
 */
export const PAGE_SCRIPT = `'use strict';
(() => {
  const said = document.getElementById('said');

  const copied = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // Without https there is no clipboard interface.
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    if (!done) throw new Error('not copied');
  };

  const offerCopies = () => document.querySelectorAll('button[data-copy]').forEach((button) => {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      try {
        await copied(document.getElementById(button.dataset.copy).textContent);
        button.textContent = 'Copied';
        said.textContent = 'Copied to the clipboard';
      } catch {
        button.textContent = 'Not copied';
        said.textContent = 'The browser did not let us copy';
      }
      setTimeout(() => { button.textContent = label; said.textContent = ''; }, 2000);
    });
  });

  const openTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = target && target.closest('details');
    if (!closed) return;
    closed.open = true;
    target.closest('details').scrollIntoView();
    closed.querySelector('summary').focus({ preventScroll: true });
  };
  addEventListener('hashchange', openTarget);
  openTarget();

  const units = [['day', 86400], ['hour', 3600], ['minute', 60]];
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const tellAges = () => document.querySelectorAll('time[data-ago]').forEach((time) => {
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const unit = units.find(([, size]) => Math.abs(seconds) >= size);
    const ago = document.createElement('span');
    ago.className = 'ago';
    ago.textContent = unit ? words.format(Math.trunc(seconds / unit[1]), unit[0]) : 'just now';
    time.after(' ', ago);
  });

  const dress = () => { offerCopies(); tellAges(); };
  // The content of the page is another one after a probe.
  document.addEventListener('replaced', dress);
  dress();
})();
`;
