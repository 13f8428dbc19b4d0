/*
 * Shows the progress of a probe, and reloads the page when the probe has ended. The service then redirects to the
 * report or shows the error.
 */
const line = /** @type {HTMLElement} */ (document.getElementById('probing'));
const bar = /** @type {HTMLProgressElement} */ (document.querySelector('progress'));
const asked = new Set();
const source = new EventSource(line.dataset['events'] ?? '');

source.addEventListener('asking', ({ data }) => {
  const { phase, protocols } = /** @type {{ phase: string, protocols: string[] }} */ (JSON.parse(String(data)));
  for (const protocol of protocols) asked.add(protocol);
  bar.value = asked.size;
  line.textContent = phase === 'callability' ? 'Testing live endpoints' : `${asked.size} of ${bar.max} protocols`;
});
source.addEventListener('end', () => {
  source.close();
  location.reload();
});
source.addEventListener('error', () => {
  // The browser reconnects by itself, unless the service rejected the connection.
  if (source.readyState !== EventSource.CLOSED) return;
  setTimeout(() => {
    location.reload();
  }, 3000);
});
