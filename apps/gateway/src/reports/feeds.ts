import { visible } from '@app/detectors';
import { changeWord, shortName } from '@app/reports';
import { html } from '../http/html';
import type { HostReading } from './host-reading';

/** The last changes of a host as an Atom feed (RFC 4287). */
export function atomFeed({ report, changes: { changes } }: HostReading, baseUrl: string): string {
  const page = `${baseUrl}/hosts/${report.domain}`;
  const updated = changes[0]?.at ?? report.probedAt ?? today();
  return `<?xml version="1.0" encoding="utf-8"?>\n${
    html`<feed xmlns="http://www.w3.org/2005/Atom">
      <id>${page}</id>
      <title>Changes at ${report.domain}</title>
      <updated>${updated}</updated>
      <author><name>hostprobe</name></author>
      <link rel="self" type="application/atom+xml" href="${page}/changes.atom" />
      <link rel="alternate" type="text/html" href="${page}" />
      ${changes.map(
        ({ id, at, protocol, kind, summary }) =>
          html`<entry>
            <id>${page}#change-${id}</id>
            <title type="text">${shortName(protocol)} ${changeWord(kind)}</title>
            <published>${at}</published>
            <updated>${at}</updated>
            <link rel="alternate" type="text/html" href="${page}#change-${id}" />
            <category term="${kind}" />
            <summary type="text">${summary}</summary>
          </entry>`,
      )}
    </feed>`.markup
  }\n`;
}

/** The last changes of a host as a JSON Feed (https://www.jsonfeed.org/version/1.1/). */
export function jsonFeed({ report, changes: { changes } }: HostReading, baseUrl: string): string {
  const page = `${baseUrl}/hosts/${report.domain}`;
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: `Changes at ${report.domain}`,
    home_page_url: page,
    feed_url: `${page}/changes.json`,
    authors: [{ name: 'hostprobe' }],
    items: changes.map(({ id, at, protocol, kind, summary }) => ({
      id: `${page}#change-${id}`,
      url: `${page}#change-${id}`,
      title: `${shortName(protocol)} ${changeWord(kind)}`,
      content_text: visible(summary),
      date_published: at,
      tags: [protocol, kind],
    })),
  });
}

/** The date of a feed without entries: feed readers would consider a feed with an old date dead. */
function today(): string {
  return `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
}
