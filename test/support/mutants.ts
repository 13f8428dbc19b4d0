import { isObject, list, type Fix, type JsonObject, type JsonValue, type ProtocolCell } from '@app/detectors';
import type { HostFacts } from '@app/reports';
import type { Files, FixtureHost, FixtureRoute, FreeMember } from './fixture-host';

/** A fixture with one fault. */
export interface Mutant {
  readonly name: string;
  readonly host: FixtureHost;
  readonly files: Files;
}

const PAGE = '<!doctype html><html><head><title>Not what you asked for</title></head><body>Hello</body></html>';

/**
 * All systematic faults of a fixture: each field of each JSON document removed and with a wrong type, each document
 * replaced by an HTML page and truncated, each route with a wrong status. Only what the fixture marks as free is left
 * out.
 */
export function mutantsOf(host: FixtureHost, files: Files): readonly Mutant[] {
  const documents = Object.entries(files).flatMap(([file, text]) =>
    typeof host.free?.[file] === 'string'
      ? []
      : brokenTexts(file, text, host).map(([how, broken]): Mutant => ({
          name: `${file} ${how}`,
          host,
          files: { ...files, [file]: broken },
        })),
  );
  const routes = Object.entries(host.routes).flatMap(([key, route]) =>
    (host.freeRoutes?.[key] === undefined ? wrongStatuses(route) : []).map((status): Mutant => ({
      name: `${key} with status ${status}`,
      host: { ...host, routes: { ...host.routes, [key]: { ...route, status } } },
      files,
    })),
  );
  return [...documents, ...routes];
}

function wrongStatuses({ file, status = 200, headers = {} }: FixtureRoute): readonly number[] {
  // The status alone of a page for visitors shows nothing, nor does a route that no document advertises.
  if (file?.endsWith('.html') && status === 200 && Object.keys(headers).length === 0) return [];
  return [404, 500].filter((wrong) => wrong !== status);
}

function brokenTexts(file: string, text: string, host: FixtureHost): readonly (readonly [string, string])[] {
  if (file.endsWith('.html')) return [];
  const whole = [['as an HTML page', PAGE] as const, ['cut in the middle', text.slice(0, text.length / 2)] as const];
  if (!file.endsWith('.json')) return whole;
  const document = JSON.parse(text) as JsonValue;
  const free = (host.free?.[file] ?? []) as readonly FreeMember[];
  const members = pointersOf(document).filter((pointer) => !isFree(pointer, free, 'be anything'));
  return [
    ...whole,
    ...members
      .filter((pointer) => !isFree(pointer, free, 'be missing'))
      .map((pointer) => [`without ${pointer}`, JSON.stringify(edited(document, pointer, 'drop'))] as const),
    ...members.map(
      (pointer) => [`with a wrong type at ${pointer}`, JSON.stringify(edited(document, pointer, 'type'))] as const,
    ),
  ];
}

function isFree(pointer: string, free: readonly FreeMember[], may: FreeMember['may']): boolean {
  return free.some((one) => one.may === may && one.pointers.test(pointer));
}

/** JSON pointers (RFC 6901) of all fields and elements. */
function pointersOf(value: JsonValue, base = ''): readonly string[] {
  const entries = isObject(value)
    ? Object.entries(value)
    : (list(value) ?? []).map((item, i) => [String(i), item] as const);
  return entries.flatMap(([name, item]) => {
    const pointer = `${base}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
    return [pointer, ...pointersOf(item ?? null, pointer)];
  });
}

function edited(document: JsonValue, pointer: string, how: 'drop' | 'type'): JsonValue {
  const copy = structuredClone(document) as unknown;
  const path = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));
  const last = path.pop() ?? '';
  const holder = path.reduce((at, name) => (at as Record<string, unknown>)[name], copy) as Record<string, unknown>;
  if (how === 'type') holder[last] = otherType(holder[last]);
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
  return copy as JsonValue;
}

function otherType(value: unknown): unknown {
  if (typeof value === 'string') return 7;
  return typeof value === 'object' ? 'text' : ['text'];
}

/** The conclusions of a report: statuses, findings, fixes and payment options, without their names and evidence. */
export function conclusions({ protocols, fixes, paymentRails, reachable }: HostFacts): string {
  return JSON.stringify({
    reachable,
    cells: protocols.map(conclusionsOfCell),
    fixes: fixes.map((fix: Fix) => fix.id),
    payable: paymentRails.payable,
    rails: paymentRails.rails.map(({ protocol, reasons, strictClientReadable, resources }) => [
      resources,
      protocol,
      reasons,
      strictClientReadable,
    ]),
  });
}

/** Fields of `details` that are conclusions. */
const CONCLUDING = [
  'note',
  'reason',
  'findings',
  'observed',
  'releases',
  'interfaceState',
  'declarations',
  'endpointState',
  'canBePaid',
];

function conclusionsOfCell({ id, status, version, details }: ProtocolCell): JsonObject {
  return { id, status, version, ...Object.fromEntries(CONCLUDING.map((name) => [name, details[name]])) };
}
