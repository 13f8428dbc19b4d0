/*
 * Shows the progress of a probe as the service tells it, and loads the page again when the probe has ended: the service
 * then leads to the report, or says what went wrong.
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
  // The browser connects again by itself, unless the service refused.
  if (source.readyState !== EventSource.CLOSED) return;
  setTimeout(() => {
    location.reload();
  }, 3000);
});
