import { isObject, member, text, type JsonValue } from '../formats/json';
import { typeOf } from './ard-kind';

/** `urn:air:<publisher>:<name>`, and the spellings of the drafts before it. */
const IDENTIFIER = /^urn:(?:air|ai|mcp:server):([a-zA-Z0-9.-]{1,253})(?:[:/][a-zA-Z0-9._-]{1,200}){1,20}$/;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/** JSON paths of what an entry of an ARD manifest must have and has not; `url_xor_data` where it has both or none. */
export function ardFaults(entry: JsonValue, at: string): readonly string[] {
  if (!isObject(entry)) return [at];
  const identifier = IDENTIFIER.exec((text(entry['identifier']) ?? '').slice(0, 2_048));
  const [url, data] = [text(entry['url']), entry['data']];
  const rows: readonly (readonly [boolean, string])[] = [
    [identifier === null, '.identifier'],
    [text(entry['displayName']) === undefined, '.displayName'],
    [!MEDIA_TYPE.test(typeOf(entry) ?? ''), '.type'],
    [(url === undefined) === (data === undefined) || (data !== undefined && !isObject(data)), ' url_xor_data'],
    [url !== undefined && !URL.canParse(url, 'https://host.invalid'), '.url'],
    [identifier !== null && !isAligned(entry, identifier[1] ?? ''), '.trustManifest.identity'],
  ];
  return rows.flatMap(([holds, where]) => (holds ? [`${at}${where}`] : []));
}

/** An identity, when one is given, is of the publisher that the identifier names (a DID, a URL or a name). */
function isAligned(entry: JsonValue, publisher: string): boolean {
  const identity = text(member(member(entry, 'trustManifest'), 'identity'));
  if (identity === undefined) return true;
  const names = identity
    .slice(0, 2_048)
    .toLowerCase()
    .split(/[^a-z0-9.-]/)
    .filter((name) => name.includes('.'));
  const own = publisher.toLowerCase();
  return (
    names.length === 0 || names.some((name) => name === own || name.endsWith(`.${own}`) || own.endsWith(`.${name}`))
  );
}
