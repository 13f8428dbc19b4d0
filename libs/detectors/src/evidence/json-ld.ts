import { isObject, list, member, readJson, type JsonObject, type JsonValue } from '../formats/json';
import type { Answer } from './exchange';

/** Part of a page that is searched, in characters, and objects of it that are read. */
const PAGE_CHARS = 262_144;
const MAX_OBJECTS = 100;

/**
 * The objects of the JSON-LD in a page (`<script type="application/ld+json">`): each by itself, of a list, or of its graph.
 */
export function jsonLdOf(page: Answer): readonly JsonObject[] {
  const scripts = page.body
    .slice(0, PAGE_CHARS)
    .split(/<script\s/i)
    .slice(1);
  return scripts.flatMap(objectsOf).slice(0, MAX_OBJECTS);
}

function objectsOf(script: string): readonly JsonObject[] {
  const start = script.indexOf('>');
  const end = script.search(/<\/script/i);
  if (end < start || !/\btype\s{0,9}=\s{0,9}["']?application\/ld\+json/i.test(script.slice(0, start))) return [];
  const data = readJson(script.slice(start + 1, end));
  return data.ok ? flattened(data.value) : [];
}

function flattened(value: JsonValue): readonly JsonObject[] {
  const all = list(value) ?? list(member(value, '@graph')) ?? [value];
  return all.filter((one): one is JsonObject => isObject(one));
}
