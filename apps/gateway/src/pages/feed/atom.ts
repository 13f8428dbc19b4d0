import { html } from '../html/html';
import type { HostReading } from '../host/host-reading';
import { changeWord } from '../host/change-words';
import { shortName } from '../protocol-names';

/** The last changes of a host as an Atom feed (RFC 4287). */
export function atomFeed({ report, changes: { changes } }: HostReading, baseUrl: string): string {
  const page = `${baseUrl}/hosts/${report.domain}`;
  const updated = changes[0]?.at ?? report.probedAt ?? '1970-01-01T00:00:00.000Z';
  return `<?xml version="1.0" encoding="utf-8"?>\n${
    html`<feed xmlns="http://www.w3.org/2005/Atom">
      <id>${page}</id>
      <title>Changes of ${report.domain}</title>
      <updated>${updated}</updated>
      <author><name>hostprobe</name></author>
      <link rel="self" type="application/atom+xml" href="${page}/changes.atom" />
      <link rel="alternate" type="text/html" href="${page}" />
      ${changes.map(
        ({ id, at, protocol, kind, summary }) =>
          html`<entry>
            <id>${page}#change-${id}</id>
            <title type="text">${shortName(protocol)} ${changeWord(kind)}</title>
            <updated>${at}</updated>
            <link rel="alternate" type="text/html" href="${page}#change-${id}" />
            <category term="${kind}" />
            <summary type="text">${summary}</summary>
          </entry>`,
      )}
    </feed>`.markup
  }\n`;
}
