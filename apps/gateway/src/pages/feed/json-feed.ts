import { visible } from '@app/detectors';
import type { HostReading } from '../host/host-reading';
import { changeWord } from '../host/change-words';
import { shortName } from '../protocol-names';

/** The last changes of a host as a JSON Feed (https://www.jsonfeed.org/version/1.1/). */
export function jsonFeed({ report, changes: { changes } }: HostReading, baseUrl: string): string {
  const page = `${baseUrl}/hosts/${report.domain}`;
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: `Changes of ${report.domain}`,
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
